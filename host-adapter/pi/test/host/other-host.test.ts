import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { otherHost } from "../../harness/other-host.ts";
import { ALONE, WITH_EXTENSION, WITH_SCRIPTED_MODEL } from "../../harness/pi-command.ts";
import { RpcPi } from "../../harness/rpc.ts";
import { Workspace } from "../../harness/workspace.ts";

describe("a session that the real Pi wrote, in the other host", () => {
  let workspace: Workspace;
  let listedByPi: unknown;
  before(async () => {
    workspace = new Workspace();
    workspace.createRepository();
    const pi = new RpcPi({
      cwd: workspace.repository,
      environment: workspace.environment(),
      args: [...ALONE, ...WITH_SCRIPTED_MODEL, ...WITH_EXTENSION, "--session-dir", workspace.sessions],
    });
    await pi.prompt("hello");
    await pi.prompt("Read README.md");
    const begin = pi.records.length;
    await pi.prompt('call history_list_windows {"recent_first":false}');
    const end = await pi.record("the end of the call", ({ type }) => type === "tool_execution_end", begin);
    listedByPi = JSON.parse((end.result as { content: [{ text: string }] }).content[0].text);
    await pi.stop();
  });
  after(() => workspace.remove());

  it("has the window that Pi's model saw, and what was said in it since", () => {
    const { windows } = JSON.parse(otherHost("windows", "--json", workspace.sessionFile));
    const { windows: seen } = listedByPi as typeof listedByPi & { windows: typeof windows };
    // The call's own result and the model's last words came after the list was made.
    assert.deepEqual(windows, [{ ...seen[0], item_count: seen[0].item_count + 2 }]);
  });

  it("is left as it is", () => {
    const before = readFileSync(workspace.sessionFile);
    const table = otherHost("windows", workspace.sessionFile);
    assert.match(table, /pcw:.{8}:root/);
    assert.deepEqual(readFileSync(workspace.sessionFile), before);
  });
});
