import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { registerCommands } from "../../src/exports/commands.ts";
import { observeTools, smallMembers } from "../../src/exports/tool-observer.ts";
import { registerTools } from "../../src/exports/tools.ts";
import { FakePi, loadCapsule } from "../support/fake-pi.ts";
import { type Answers, type Call, recordingGuest } from "../support/recording-guest.ts";

async function begin(answers: Answers) {
  const pi = new FakePi();
  const calls: Call[] = [];
  const capsule = await loadCapsule(
    pi,
    recordingGuest((call) => calls.push(call), answers),
  );
  await capsule.open(pi.context, "start", () => {});
  return { pi, calls, capsule };
}

describe("tools", () => {
  const definition = {
    name: "notes_read_file",
    label: "Read note",
    description: "Reads a note.",
    parameters: '{"type":"object","properties":{}}',
    execution: "sequential",
  };

  async function registered(call: (...args: never[]) => unknown) {
    const { pi, calls, capsule } = await begin({ "tools.definitions": () => [definition], "tools.call": call });
    const names = registerTools(pi.api, capsule);
    calls.length = 0;
    const tool = pi.tools[0] as unknown as ToolDefinition;
    const execute = (args: object) => tool.execute("1", args, undefined, undefined, pi.context as never);
    return { pi, calls, names, tool, execute };
  }

  it("registers what the guest lists", async () => {
    const { names, tool } = await registered(() => {});
    assert.deepEqual([...names], ["notes_read_file"]);
    assert.deepEqual(tool.parameters, { type: "object", properties: {} });
    assert.equal(tool.executionMode, "sequential");
    assert.equal("promptSnippet" in tool, false);
  });

  it("registers no tool and no command that the policy does not allow, and tells the person", async () => {
    const pi = new FakePi();
    const answers = {
      "tools.definitions": () => [definition, { ...definition, name: "bash" }],
      "commands.definitions": () => [
        { name: "login", description: "" },
        { name: "pr-footer", description: "" },
      ],
    };
    const capsule = loadCapsule(
      pi,
      recordingGuest(() => {}, answers),
    );
    assert.deepEqual([...registerTools(pi.api, capsule)], ["notes_read_file"]);
    registerCommands(pi.api, capsule);
    assert.deepEqual(
      [...pi.tools, ...pi.commands].map(({ name }) => name),
      ["notes_read_file", "pr-footer"],
    );
    await capsule.open(pi.context, "start", () => {});
    assert.deepEqual(
      pi.shown.map(([, text]) => text),
      [
        'pi-capsule: refused a request of the component: the tool "bash" is not allowed.',
        'pi-capsule: refused a request of the component: the command "login" is not allowed.',
      ],
    );
  });

  it("passes the call on and gives the answer", async () => {
    const { calls, execute } = await registered(() => ({ text: "A note.", terminate: true }));
    const result = await execute({ path: "a\uD800" });
    assert.deepEqual(result, { content: [{ type: "text", text: "A note." }], details: undefined, terminate: true });
    const invocation = { callId: "1", name: "notes_read_file", arguments: '{"path":"a\uFFFD"}', cwd: "/work/widget" };
    assert.deepEqual(calls, [["tools.call", invocation]]);
  });

  it("fails as the guest says, and goes on", async () => {
    const { pi, execute } = await registered(() => {
      throw "There is no such note. List them first.";
    });
    await assert.rejects(execute({}), { message: "There is no such note. List them first." });
    await assert.rejects(execute({}), /no such note/);
    assert.deepEqual(pi.shown, []);
  });

  it("fails with the guest", async () => {
    const { pi, execute } = await registered(() => {
      throw new WebAssembly.RuntimeError("unreachable");
    });
    await assert.rejects(execute({}), {
      message: "notes_read_file is not available: pi-capsule has failed. Go on without it, or try once more later.",
    });
    assert.equal(pi.shown.length, 1);
  });
});

describe("tool-observer", () => {
  it("tells the call with its final arguments, and its end", async () => {
    const { pi, calls, capsule } = await begin({});
    observeTools(pi.api, capsule, new Set(["notes_read_file"]));
    await pi.emit("tool_call", { toolCallId: "1", toolName: "read", input: { path: "README.md" } });
    await pi.emit("tool_execution_end", { toolCallId: "1", toolName: "read", isError: true, result: "secret" });
    assert.deepEqual(calls, [
      [
        "toolObserver.toolCalled",
        { callId: "1", name: "read", arguments: '{"path":"README.md"}', cwd: "/work/widget" },
      ],
      ["toolObserver.toolFinished", "1", true],
    ]);
  });

  it("tells nothing of the guest's own tools, nor the end of a call without a beginning", async () => {
    const { pi, calls, capsule } = await begin({});
    observeTools(pi.api, capsule, new Set(["notes_read_file"]));
    await pi.emit("tool_call", { toolCallId: "1", toolName: "notes_read_file", input: {} });
    await pi.emit("tool_execution_end", { toolCallId: "1", toolName: "notes_read_file", isError: false });
    await pi.emit("tool_execution_end", { toolCallId: "2", toolName: "unknown", isError: true });
    assert.deepEqual(calls, []);
  });

  it("leaves out members that are too large, counted in bytes of JSON", () => {
    const exact = "x".repeat(16 * 1024 - 2);
    const input = { path: "a", content: `${exact}x`, wide: "ü".repeat(8 * 1024), fits: exact, none: undefined };
    assert.deepEqual(JSON.parse(smallMembers(input)), { path: "a", fits: exact });
  });
});

describe("commands", () => {
  type Command = Record<"getArgumentCompletions" | "handler", (...args: unknown[]) => Promise<unknown>>;

  const answers = {
    "commands.definitions": () => [{ name: "pr-footer", description: "The footer" }],
    "commands.complete": (_name: string, typed: string) =>
      "pin ".startsWith(typed) ? [{ value: "pin ", label: "pin" }] : [],
  };

  it("registers, completes and runs what the guest lists", async () => {
    const { pi, calls, capsule } = await begin(answers);
    registerCommands(pi.api, capsule);
    calls.length = 0;
    const command = pi.commands[0] as unknown as Command;
    assert.equal(pi.commands[0]?.description, "The footer");
    assert.deepEqual(await command.getArgumentCompletions?.("p"), [{ value: "pin ", label: "pin" }]);
    assert.equal(await command.getArgumentCompletions?.("x"), null);
    assert.equal(await command.getArgumentCompletions?.("pin "), null, "what stands there already is not offered");
    await command.handler?.("  pin /work/widget ", pi.context);
    assert.deepEqual(calls.at(-1), [
      "commands.run",
      { name: "pr-footer", arguments: "pin /work/widget", cwd: "/work/widget" },
    ]);
  });

  it("waits for the processes of a command where Pi would exit before them", async () => {
    const { pi, capsule } = await begin(answers);
    registerCommands(pi.api, capsule);
    const command = pi.commands[0] as unknown as Command;
    const process = Promise.withResolvers<void>();
    capsule.host.await(process.promise);
    let done = false;
    const printed = command.handler?.("refresh", { ...pi.context, hasUI: false }).then(() => {
      done = true;
    });
    await command.handler?.("refresh", pi.context);
    assert.equal(done, false);
    process.resolve();
    await printed;
    assert.equal(done, true);
  });
});
