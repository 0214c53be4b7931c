import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ALONE, PI_CLI, WITH_EXTENSION, WITH_SCRIPTED_MODEL } from "../../harness/pi-command.ts";
import { pullRequest } from "../../harness/scripted-gh.ts";
import { Terminal } from "../../harness/terminal.ts";
import { Workspace } from "../../harness/workspace.ts";
import { read } from "../support/footer.ts";

describe("the footer on the screen", () => {
  let workspace: Workspace;
  let other: string;
  let terminal: Terminal;
  const open = (...flags: readonly string[]) =>
    Terminal.open({
      directory: workspace.directory,
      cwd: workspace.repository,
      environment: workspace.environment(),
      columns: 120,
      rows: 40,
      command: [process.execPath, PI_CLI, ...ALONE, ...WITH_SCRIPTED_MODEL, ...flags, "--no-session"],
    });
  before(async () => {
    workspace = new Workspace();
    workspace.createRepository();
    workspace.gh.answer("feature/footer", [pullRequest(42)]);
    other = workspace.addWorktree("other tree", "topic");
    terminal = await open(...WITH_EXTENSION);
  });
  after(async () => {
    await terminal?.close();
    workspace.remove();
  });

  const screen = (what: string, fits: RegExp) => terminal.screen(what, (lines) => fits.test(written(lines).join("\n")));
  const enter = async (text: string) => {
    await terminal.type(text);
    await terminal.press("Enter");
  };

  it("is a line of its own below Pi's, which stay as they are", async () => {
    const line = /^acme\/widget · feature\/footer · PR #42 · \d+s$/;
    const lines = written(await screen("the pull request", new RegExp(line.source, "m")));
    assert.match(lines.at(-1) ?? "", line);
    const alone = await open();
    try {
      const isModel = (seen: readonly string[]) => /scripted-1$/.test(written(seen).at(-1) ?? "");
      const own = written(await alone.screen("Pi's own footer", isModel));
      assert.deepEqual(lines.slice(-3, -1), own.slice(-2));
    } finally {
      await alone.close();
    }
  });

  it("has a command that completes its words", async () => {
    await terminal.type("/pr-footer ");
    await screen("every word", /^→ status\b.*\npin\b.*\nunpin\b.*\nrefresh\b.*\nhelp\b/m);
    await terminal.type("ref");
    await screen("one word", /^→ refresh\b/m);
    await terminal.press("Tab");
    await screen("the whole word", /^\/pr-footer refresh$/m);
    await terminal.press("Enter");
    await screen("what it says", /^Asking git and GitHub anew\.$/m);
  });

  it("has a command that completes the paths which the session has seen", async () => {
    await enter(`script ${JSON.stringify([read(join(other, "README.md")), { say: "This is the widget." }])}`);
    await screen("the other worktree", /^acme\/widget · topic · \d+s$/m);
    await terminal.type("/pr-footer pin ");
    await screen("both worktrees", new RegExp(`^→ pin ${other}$[^]*^pin ${workspace.repository}$`, "m"));
    await terminal.press("Down");
    await screen("the second one chosen", new RegExp(`^→ pin ${workspace.repository}$`, "m"));
    await terminal.press("Tab");
    await screen("the whole path", new RegExp(`^/pr-footer pin ${workspace.repository}$`, "m"));
    await terminal.press("Enter");
    await screen("the pin", /^📌 acme\/widget · feature\/footer · PR #42 · (?:\d+[ms])+$/m);
  });
});

function written(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}
