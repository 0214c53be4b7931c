import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ALONE, PI_CLI, WITH_EXTENSION, WITH_SCRIPTED_MODEL } from "../../harness/pi-command.ts";
import { RESET, RESET_NOTICE } from "../../harness/steps.ts";
import { Terminal } from "../../harness/terminal.ts";
import { Workspace } from "../../harness/workspace.ts";

describe("a reset on the screen", () => {
  let workspace: Workspace;
  let terminal: Terminal;
  before(async () => {
    workspace = new Workspace();
    workspace.createRepository();
    workspace.configure({ compaction: { keepRecentTokens: 1 } });
    terminal = await Terminal.open({
      directory: workspace.directory,
      cwd: workspace.repository,
      environment: workspace.environment(),
      columns: 100,
      rows: 40,
      command: [process.execPath, PI_CLI, ...ALONE, ...WITH_SCRIPTED_MODEL, ...WITH_EXTENSION, "--no-session"],
    });
    await screen("the footer", /acme\/widget · feature\/footer/);
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
  /** The conversation from Pi's latest box on, when it has come to that line. */
  const conversation = async (last: RegExp, length: number) => {
    let seen: readonly string[] = [];
    await terminal.screen(`${length} lines of conversation up to ${last}`, (lines) => {
      const all = written(lines);
      const begin = all.lastIndexOf("[compaction]");
      const end = all.findIndex((line, index) => index > begin && line.startsWith("────"));
      seen = begin < 0 ? [] : all.slice(begin, end);
      return seen.length === length && last.test(seen.at(-1) ?? "");
    });
    return seen;
  };

  it("is Pi's box and one line, when the model asked for it", async () => {
    await enter(`script ${JSON.stringify([{ say: "Tamarind." }])}`);
    await screen("the first answer", /^Tamarind\.$/m);
    await enter(`script ${JSON.stringify([RESET, { say: "On with it." }])}`);
    const [, size, notice] = await conversation(/^On with it\.$/, 4);
    assert.match(size ?? "", /^Compacted from [\d,]+ tokens \(ctrl\+o to expand\)$/);
    assert.match(notice ?? "", RESET_NOTICE);
  });

  it("is Pi's box and one line, when the person asked for it", async () => {
    await enter("hello");
    await screen("an answer", /^Done\.$/m);
    await enter("/compact");
    await conversation(RESET_NOTICE, 3);
  });

  it("can be switched off and on with a command that completes its argument", async () => {
    await terminal.type("/pi-context ");
    await screen("both words", /^→ on\b.*\n+off\b/m);
    await terminal.type("of");
    await screen("one word", /^→ off\b/m);
    await terminal.press("Tab");
    await screen("the whole word", /^\/pi-context off$/m);
    await terminal.press("Enter");
    await screen("what it says", /^Context resets are off/m);

    await terminal.type("/pi-context o");
    await screen("the list", /^→ on\b/m);
    await terminal.type("n");
    await screen("no list, which would take the Enter", /^[^→]*$/);
    await terminal.press("Enter");
    await screen("what it says", /^Context resets are on/m);
  });
});

function written(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}
