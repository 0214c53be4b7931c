import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ALONE, FAULTY, PI_CLI, WITH_SCRIPTED_MODEL } from "../../harness/pi-command.ts";
import { ScriptedSession } from "../../harness/scripted-session.ts";
import { RESET } from "../../harness/steps.ts";
import { Terminal } from "../../harness/terminal.ts";
import { Workspace } from "../../harness/workspace.ts";
import { AT_ONCE, storyWith } from "../support/story.ts";

/** Every export that Pi reaches without a terminal, save the one that ends a session. */
const EXPORTS = [
  "lifecycle#session-started",
  "lifecycle#branch-changed",
  "lifecycle#model-changed",
  "lifecycle#context-requested",
  "lifecycle#turn-ended",
  "lifecycle#agent-ended",
  "lifecycle#before-settle",
  "lifecycle#agent-settled",
  "lifecycle#before-compact",
  "lifecycle#compacted",
  "lifecycle#compaction-failed",
  "tools#call",
  "tool-observer#tool-called",
  "tool-observer#tool-finished",
  "commands#run",
  "completions#subprocess-finished",
  "completions#timer-fired",
] as const;

const FAULT = /^pi-capsule: pi_capsule\.wasm failed in /;

/** What the person and the model do in a session that uses all of the extension. */
async function useEverything(session: ScriptedSession): Promise<void> {
  const note = ["notes_write_file", { path: "plan.md", text: "tamarind" }] as const;
  await session.run([{ call: [["read", { path: "README.md" }]] }, { call: [note] }, { say: "The note is there." }]);
  await session.type("/pr-footer status");
  await session.pi.command("set_model", { provider: "scripted", modelId: "scripted-small" });
  const leaf = session.entries.at(-1)?.id;
  await session.type("Something on the side.");
  await session.type(`/rival tree ${leaf}`);
  await session.type("/rival cancel");
  await assert.rejects(session.pi.command("compact"));
  await session.type("/rival nothing");
  await session.pi.command("compact");
  await session.run([RESET, { say: "On with it." }]);
}

describe("a component that breaks in the real Pi", { concurrency: AT_ONCE }, () => {
  for (const target of EXPORTS) {
    storyWith({ fault: target }, `in ${target}, once, is started again and loses nothing`, async (session) => {
      await useEverything(session);
      await assertUnharmed(session, target.replace("#", "."), { hasNote: target !== "tools#call" });
    });
  }

  storyWith({ fault: "tools#call nonsense" }, "by an answer that cannot be read", async (session) => {
    await useEverything(session);
    await assertUnharmed(session, "tools.call", { hasNote: false });
  });

  storyWith({ fault: "lifecycle#turn-ended spin" }, "by a call that does not come to an end", async (session) => {
    await useEverything(session);
    await assertUnharmed(session, "lifecycle.turn-ended", { hasNote: true });
    const [notice] = await session.notices(FAULT);
    assert.match(notice?.text ?? "", /did not come to an end within 10 seconds/);
  });

  storyWith({ fault: "lifecycle#turn-ended flood" }, "by requests without end", async (session) => {
    await useEverything(session);
    await assertUnharmed(session, "lifecycle.turn-ended", { hasNote: true });
    const [notice] = await session.notices(FAULT);
    assert.match(notice?.text ?? "", /more than 1000 requests/);
  });

  storyWith({ fault: "lifecycle#session-shut-down" }, "at the very end ends with Pi", async (session) => {
    await session.type("Hello.");
    await session.restart();
    await session.pi.status("pr-footer", (text) => /^acme\/widget · /.test(text ?? ""));
  });
});

describe("a component that breaks on the screen of the real Pi", () => {
  it("in commands#complete, is started again and completes the next time", async () => {
    const workspace = new Workspace();
    workspace.createRepository();
    const terminal = await Terminal.open({
      directory: workspace.directory,
      cwd: workspace.repository,
      environment: workspace.environment({ FAULT: "commands#complete" }),
      columns: 160,
      rows: 40,
      command: [process.execPath, PI_CLI, ...ALONE, ...WITH_SCRIPTED_MODEL, ...FAULTY, "--no-session"],
    });
    const screen = (what: string, fits: RegExp) => terminal.screen(what, (lines) => fits.test(lines.join("\n")));
    try {
      await screen("the footer", /acme\/widget · feature\/footer/);
      await terminal.type("/pr-footer ");
      await screen("the fault", /failed in commands\.complete \(.*and is started again/);
      await terminal.type("ref");
      await screen("a completion", /→ refresh\b/);
      await screen("the footer again", /acme\/widget · feature\/footer/);
    } finally {
      await terminal.close();
      workspace.remove();
    }
  });
});

describe("a component that breaks while the real Pi loads it", () => {
  for (const target of ["tools#definitions", "commands#definitions"]) {
    it(`in ${target}, is left out, and Pi says why and works without it`, async () => {
      const session = new ScriptedSession({ fault: target });
      try {
        await session.run([{ say: "I am here." }]);
        assert.ok(session.entries.some(({ message }) => JSON.stringify(message)?.includes("I am here.")));
        const told = await session.notices(
          /pi_capsule\.wasm failed while it was loaded \(.*\)\. Install the package again\./,
        );
        assert.deepEqual(
          told.map(({ level }) => level),
          ["error"],
        );
      } finally {
        await session.close();
      }
    });
  }
});

async function assertUnharmed(session: ScriptedSession, event: string, { hasNote }: { hasNote: boolean }) {
  await session.pi.record("the fault", ({ method, message }) => method === "notify" && FAULT.test(String(message)));
  const [fault, ...others] = await session.notices(FAULT);
  assert.ok(fault?.text.includes(`failed in ${event} (`), fault?.text);
  assert.deepEqual(others, [], "the person is told once");

  const { entries } = session;
  assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length, "no entry is there twice");
  const said = entries.flatMap(({ message }) => (message?.role === "toolResult" ? [] : [JSON.stringify(message)]));
  const times = (text: string) => said.filter((line) => line?.includes(`"text":"${text}"`)).length;
  assert.deepEqual([times("The note is there."), times("Something on the side.")], [1, 1]);

  const { files } = await session.ask<{ files: { path: string }[] }>("notes_list_files");
  assert.deepEqual(
    files.map(({ path }) => path),
    hasNote ? ["plan.md"] : [],
  );
  const note = { path: "plan.md", text: "tamarind again" };
  assert.equal((await session.call("notes_write_file", note)).isError, false);
  assert.ok((await session.windows()).length >= 2, "the windows are those of the branch");
  const line = session.pi.records.findLast((record) => record.statusKey === "pr-footer");
  assert.match(String(line?.statusText), /^acme\/widget · feature\/footer · /);
}
