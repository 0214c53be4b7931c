import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, it } from "node:test";
import { promisify } from "node:util";
import { ALONE, PI_CLI, WITH_EXTENSION, WITH_SCRIPTED_MODEL } from "../../harness/pi-command.ts";
import { RpcPi } from "../../harness/rpc.ts";
import { RESET } from "../../harness/steps.ts";
import { within } from "../../harness/wait.ts";
import { Workspace } from "../../harness/workspace.ts";

const FOOTER = "pr-footer";
const STATE = "pr-footer-state";

/** What the component keeps about its footer. */
interface FooterState {
  readonly version: number;
  readonly startedAt: number;
}

describe("the real Pi", () => {
  let workspace: Workspace;
  let running: RpcPi | undefined;
  beforeEach(() => {
    workspace = new Workspace();
    workspace.createRepository();
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    workspace.remove();
  });

  const flags = () => [...ALONE, ...WITH_SCRIPTED_MODEL, ...WITH_EXTENSION, "--session-dir", workspace.sessions];
  const start = (...args: readonly string[]) => {
    running = new RpcPi({
      cwd: workspace.repository,
      environment: workspace.environment(),
      args: [...flags(), ...args],
    });
    return running;
  };
  const states = () =>
    workspace
      .sessionLines()
      .filter(({ customType }) => customType === STATE)
      .map(({ data }) => data as FooterState);

  it("shows the repository, keeps its state in the session, and goes with the session", async () => {
    const begin = Date.now();
    const pi = start();
    await pi.status(FOOTER, (text) => /^acme\/widget · feature\/footer · .*\ds$/.test(text ?? ""));
    await pi.prompt("Read README.md");
    await pi.stop();

    const last = pi.records.findLast((record) => record.method === "setStatus" && record.statusKey === FOOTER);
    assert.equal(last?.statusText, undefined, "the line is taken away at the end");
    assert.equal(pi.errors, "");
    const [state] = states();
    assert.ok(state);
    assert.equal(state.version, 1);
    assert.ok(Math.abs(state.startedAt - begin) < 20_000, "the session began just now");
  });

  it("counts a resumed session from where it began", async () => {
    const first = start();
    await first.status(FOOTER, (text) => text !== undefined);
    await first.prompt("hello");
    await first.stop();

    // As if that had been yesterday.
    const file = workspace.sessionFile;
    const [state] = states();
    assert.ok(state);
    const startedAt = state.startedAt - (24 * 60 + 61) * 60_000;
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(String(state.startedAt), String(startedAt)));

    const second = start("--session", file);
    await second.status(FOOTER, (text) => text?.endsWith(" · 1d1h") ?? false);
    await second.prompt("hello again");
    await second.stop();
    assert.deepEqual(new Set(states().map((kept) => kept.startedAt)), new Set([startedAt]));
  });

  it("begins anew with a new session in the same process", async () => {
    const pi = start();
    await pi.status(FOOTER, (text) => text !== undefined);
    const before = pi.records.length;
    await pi.command("new_session");
    await pi.status(FOOTER, (text) => text === undefined, before);
    const shown = await pi.status(FOOTER, (text) => text !== undefined, before);
    assert.match(shown.statusText ?? "", /^acme\/widget · feature\/footer · /);
    assert.equal(pi.errors, "");
  });

  it("lets the model call the component's tools", async () => {
    const pi = start();
    const call = async (order: string) => {
      const before = pi.records.length;
      await pi.prompt(`call ${order}`);
      const end = await pi.record("the end of the call", ({ type }) => type === "tool_execution_end", before);
      return { isError: end.isError, text: (end.result as { content: [{ text: string }] }).content[0].text };
    };
    const remaining = await call("get_context_remaining {}");
    assert.equal(remaining.isError, false);
    assert.ok(JSON.parse(remaining.text).remaining_tokens > 100_000, remaining.text);
    const windows = await call("history_list_windows {}");
    assert.equal(windows.isError, false);
    assert.match(JSON.parse(windows.text).windows[0].window_id, /^pcw:.{8}:root$/);
  });

  for (const [prompt, answer] of [
    ["hello", "Done."],
    [`script ${JSON.stringify([RESET, { say: "On with it." }])}`, "On with it."],
  ] as const) {
    it(`answers in print mode and leaves no word of its own: ${answer}`, async () => {
      const printing = promisify(execFile)(process.execPath, [PI_CLI, ...flags(), "--print", prompt], {
        cwd: workspace.repository,
        env: workspace.environment(),
      });
      printing.child.stdin?.end();
      const { stdout, stderr } = await within("Pi to print its answer", printing);
      assert.deepEqual({ stdout, stderr }, { stdout: `${answer}\n`, stderr: "" });
    });
  }
});
