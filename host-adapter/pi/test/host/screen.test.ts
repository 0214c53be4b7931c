import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ALONE, PI_CLI, WITH_EXTENSION, WITH_SCRIPTED_MODEL } from "../../harness/pi-command.ts";
import { Terminal } from "../../harness/terminal.ts";
import { Workspace } from "../../harness/workspace.ts";

describe("the real Pi on a screen", () => {
  let workspace: Workspace;
  let terminal: Terminal | undefined;
  before(async () => {
    workspace = new Workspace();
    workspace.createRepository();
    terminal = await Terminal.open({
      directory: workspace.directory,
      cwd: workspace.repository,
      environment: workspace.environment(),
      columns: 100,
      rows: 24,
      command: [process.execPath, PI_CLI, ...ALONE, ...WITH_SCRIPTED_MODEL, ...WITH_EXTENSION, "--no-session"],
    });
  });
  after(async () => {
    await terminal?.close();
    workspace.remove();
  });

  it("shows the footer below Pi's own lines", async () => {
    assert.ok(terminal);
    const isFooter = (line: string) => /^acme\/widget · feature\/footer · .*\ds$/.test(line.trim());
    const lines = await terminal.screen("the footer", (seen) => seen.some(isFooter));
    const written = lines.filter((line) => line.trim() !== "");
    assert.match(written.at(-3) ?? "", /\/widget \(feature\/footer\)$/, "Pi's line with the directory");
    assert.match(written.at(-2) ?? "", /scripted-1$/, "Pi's line with the model");
    assert.ok(isFooter(written.at(-1) ?? ""), "the line of this extension");
  });
});
