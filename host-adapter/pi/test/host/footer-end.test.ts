import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { FOOTER_KEY } from "../../harness/first-status.ts";
import { ALONE, PI_CLI, WITH_EXTENSION, WITH_SCRIPTED_MODEL } from "../../harness/pi-command.ts";
import { pullRequest } from "../../harness/scripted-gh.ts";
import { untilSeen, within } from "../../harness/wait.ts";
import { Workspace } from "../../harness/workspace.ts";
import { BEGIN, bash, linesSince, read, shows, showsStill } from "../support/footer.ts";
import { AT_ONCE, storyWith } from "../support/story.ts";

const with42 = ({ gh }: Workspace) => gh.answer("feature/footer", [pullRequest(42)]);

describe("at its end the footer in the real Pi", { concurrency: AT_ONCE }, () => {
  storyWith({ prepare: with42 }, "is taken away, whatever is still being looked up", async (session) => {
    const { gh } = session.workspace;
    await shows(session, `${BEGIN} · PR #42`);
    gh.hold();
    const before = session.pi.records.length;
    await session.type("/pr-footer refresh");
    await untilSeen("gh to be asked again", async () => gh.calls.length === 2 || undefined);
    await session.pi.stop();
    assert.deepEqual(linesSince(session, before), [`${BEGIN} · PR #42`, `${BEGIN} · !`, undefined]);
    const last = session.pi.records.findLast(({ statusKey }) => statusKey === FOOTER_KEY);
    assert.equal(last?.statusText, undefined);
  });

  storyWith({ prepare: with42 }, "leaves nothing to a new session, not even late answers", async (session) => {
    const { gh } = session.workspace;
    gh.answer("topic", [pullRequest(7)]);
    await shows(session, `${BEGIN} · PR #42`);
    const answer = gh.hold();
    await session.run([bash("git switch --create topic")]);
    await shows(session, "acme/widget · topic · !");
    session.workspace.git("switch", "--quiet", "feature/footer");
    const before = session.pi.records.length;
    await session.pi.command("new_session");
    await shows(session, `${BEGIN} · !`);
    answer();
    await shows(session, `${BEGIN} · PR #42`);
    await showsStill(session, `${BEGIN} · PR #42`);
    assert.deepEqual(linesSince(session, before), [
      "acme/widget · topic · !",
      undefined,
      `${BEGIN} · !`,
      `${BEGIN} · PR #42`,
    ]);
  });
});

describe("in print mode the footer", { concurrency: AT_ONCE }, () => {
  const steps = [read("README.md"), bash("git switch --create topic"), { say: "All done." }];
  for (const [prompt, answer] of [
    [`script ${JSON.stringify(steps)}`, "All done.\n"],
    ["/pr-footer", ""],
    ["/pr-footer pin .", ""],
    ["/pr-footer nonsense", ""],
  ] as const) {
    it(`writes nothing: ${prompt.slice(0, 30)}`, async () => {
      const workspace = new Workspace();
      try {
        workspace.createRepository();
        with42(workspace);
        const flags = [...ALONE, ...WITH_SCRIPTED_MODEL, ...WITH_EXTENSION, "--session-dir", workspace.sessions];
        const printing = promisify(execFile)(process.execPath, [PI_CLI, ...flags, "--print", prompt], {
          cwd: workspace.repository,
          env: workspace.environment(),
        });
        printing.child.stdin?.end();
        const { stdout, stderr } = await within("Pi to print its answer", printing);
        assert.deepEqual({ stdout, stderr }, { stdout: answer, stderr: "" });
      } finally {
        workspace.remove();
      }
    });
  }
});
