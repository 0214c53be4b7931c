import assert from "node:assert/strict";
import { describe } from "node:test";
import { type PullRequest, pullRequest } from "../../harness/scripted-gh.ts";
import type { ScriptedSession } from "../../harness/scripted-session.ts";
import { untilSeen } from "../../harness/wait.ts";
import type { Workspace } from "../../harness/workspace.ts";
import { BEGIN, bash, linesSince, read, shows, showsStill } from "../support/footer.ts";
import { AT_ONCE, storyWith } from "../support/story.ts";

/** The fields that the footer needs of a pull request. */
const FIELDS = "number,state,isDraft,url,isCrossRepository,headRepositoryOwner";

const with42 = ({ gh }: Workspace) => gh.answer("feature/footer", [pullRequest(42)]);

/** Waits until `gh` has been asked for these branches, in this order. */
async function asked(session: ScriptedSession, ...branches: readonly string[]): Promise<void> {
  const { gh } = session.workspace;
  const all = async () => gh.branches.length >= branches.length || undefined;
  await untilSeen("gh to be asked", all, () => JSON.stringify(gh.calls));
  assert.deepEqual(gh.branches, branches);
}

describe("a pull request in the footer of the real Pi", { concurrency: AT_ONCE }, () => {
  for (const [what, answer, line] of [
    ["is the open one of the branch", [pullRequest(42)], `${BEGIN} · PR #42`],
    ["is a draft", [pullRequest(42, { draft: true })], `${BEGIN} · draft PR #42`],
    ["is not there", [], BEGIN],
    ["is not that of a stranger's fork", [pullRequest(43, { owner: "stranger" })], BEGIN],
    ["is ours, between those of strangers", [43, 42, 44].map(ours), `${BEGIN} · PR #42`],
    ["is the latest of several", [41, 42, 40].map((number) => pullRequest(number)), `${BEGIN} · PR #42`],
    ["is ours in whatever letters", [pullRequest(42, { owner: "ACME" })], `${BEGIN} · PR #42`],
    ["is not known when gh answers nonsense", [{ ...pullRequest(42), number: "42" } as never], `${BEGIN} · !`],
  ] as readonly (readonly [string, readonly PullRequest[], string])[]) {
    const prepare = ({ gh }: Workspace) => gh.answer("feature/footer", answer);
    storyWith({ prepare }, what, async (session) => {
      await shows(session, line);
      await showsStill(session, line);
      const pending = `${BEGIN} · !`;
      assert.deepEqual(linesSince(session, 0), line === pending ? [line] : [pending, line]);
      assert.deepEqual(
        session.workspace.gh.calls.map((call) => call.join(" ")),
        [`pr list --repo github.com/acme/widget --head feature/footer --state open --limit 20 --json ${FIELDS}`],
      );
    });
  }

  storyWith({ prepare: with42 }, "is asked for once, however much the model reads", async (session) => {
    await shows(session, `${BEGIN} · PR #42`);
    for (let count = 0; count < 3; count += 1) await session.run([read("README.md"), bash("git status")]);
    await showsStill(session, `${BEGIN} · PR #42`);
    await asked(session, "feature/footer");
  });

  storyWith({}, "is there when the model has created it, without the cache being in the way", async (session) => {
    session.workspace.gh.createNext(pullRequest(42));
    await shows(session, BEGIN);
    await session.run([bash("gh pr create --fill")]);
    await shows(session, `${BEGIN} · PR #42`);
    await asked(session, "feature/footer", "feature/footer");
  });

  storyWith({}, "is not asked for again for one that was created in another repository", async (session) => {
    session.workspace.gh.createNext(pullRequest(42));
    await shows(session, BEGIN);
    await session.run([bash("gh pr create --fill --repo acme/other")]);
    await showsStill(session, BEGIN);
    await asked(session, "feature/footer");
  });

  storyWith({ prepare: with42 }, "is not known while gh fails, and found by a refresh", async (session) => {
    const { gh } = session.workspace;
    await shows(session, `${BEGIN} · PR #42`);
    gh.fail("To get started with GitHub CLI, please run:  gh auth login");
    await session.type("/pr-footer refresh");
    await shows(session, `${BEGIN} · !`);
    gh.fail(undefined);
    await session.type("/pr-footer refresh");
    await shows(session, `${BEGIN} · PR #42`);
    assert.deepEqual(await session.notices(/gh|GitHub CLI/), [], "a failing gh is not worth a notice");
  });

  storyWith({ prepare: with42 }, "goes at once with its branch, and comes back with it", async (session) => {
    const { gh } = session.workspace;
    gh.answer("topic", [pullRequest(7, { draft: true })]);
    await shows(session, `${BEGIN} · PR #42`);
    const answer = gh.hold();
    const before = session.pi.records.length;
    await session.run([bash("git switch --create topic")]);
    await shows(session, "acme/widget · topic · !");
    answer();
    await shows(session, "acme/widget · topic · draft PR #7");
    await session.run([bash("git switch feature/footer")]);
    await shows(session, `${BEGIN} · PR #42`);
    assert.deepEqual(linesSince(session, before), [
      `${BEGIN} · PR #42`,
      "acme/widget · topic · !",
      "acme/widget · topic · draft PR #7",
      `${BEGIN} · PR #42`,
    ]);
  });

  storyWith(
    { prepare: with42 },
    "is never beside another branch, when gh answers after the switch",
    async (session) => {
      const { gh } = session.workspace;
      gh.answer("topic", [pullRequest(7)]);
      await shows(session, `${BEGIN} · PR #42`);
      const answer = gh.hold();
      await session.type("/pr-footer refresh");
      await asked(session, "feature/footer", "feature/footer");
      await session.run([bash("git switch --create topic")]);
      await shows(session, "acme/widget · topic · !");
      await session.run([bash("git switch feature/footer")]);
      await shows(session, `${BEGIN} · !`);
      answer();
      await shows(session, `${BEGIN} · PR #42`);
      await session.run([bash("git switch topic")]);
      await shows(session, "acme/widget · topic · PR #7");
      assert.deepEqual(linesSince(session, 0), [
        `${BEGIN} · !`,
        `${BEGIN} · PR #42`,
        `${BEGIN} · !`,
        "acme/widget · topic · !",
        `${BEGIN} · !`,
        `${BEGIN} · PR #42`,
        "acme/widget · topic · !",
        "acme/widget · topic · PR #7",
      ]);
    },
  );
});

/** 42 is ours. */
function ours(number: number): PullRequest {
  return pullRequest(number, { owner: number === 42 ? "acme" : "stranger" });
}
