import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { announce, type Neighbour, neighbour } from "../src/added/neighbours.ts";
import { registerControl } from "../src/control.ts";
import { FakePi, loadCapsule } from "./support/fake-pi.ts";
import { type Call, recordingGuest } from "./support/recording-guest.ts";

interface Control {
  readonly getArgumentCompletions: (typed: string) => readonly { readonly value: string }[] | null;
  readonly handler: (args: string, context: object) => Promise<void>;
}

describe("/pi-capsule", () => {
  let pi: FakePi;
  let calls: Call[];
  let control: Control;
  let components: Neighbour[];
  beforeEach(async () => {
    pi = new FakePi();
    calls = [];
    const capsule = loadCapsule(
      pi,
      recordingGuest((call) => calls.push(call)),
    );
    registerControl(pi.api);
    announce(pi.api, () => components);
    components = [neighbour("fake", capsule)];
    control = pi.commands[0] as unknown as Control;
    await capsule.open(pi.context, "start", (guest) => guest.lifecycle.sessionStarted("startup"));
  });

  it("says how the component is, and what else it knows", async () => {
    await control.handler("", pi.context);
    await control.handler(" status ", pi.context);
    assert.deepEqual(pi.shown, [
      ["notify", "pi-capsule: fake.wasm is running.\n/pi-capsule [status|restart [NAME]]", "info"],
      ["notify", "pi-capsule: fake.wasm is running.", "info"],
    ]);
  });

  it("puts a new instance in place", async () => {
    await control.handler("restart", pi.context);
    assert.deepEqual(calls.at(-1), ["lifecycle.sessionStarted", "recovered"]);
    assert.deepEqual(pi.shown, [["notify", "pi-capsule: fake.wasm is running.", "info"]]);
  });

  it("speaks of each component, and restarts one by its name", async () => {
    const restarted: string[] = [];
    components.push({
      name: "todo",
      condition: "todo.wasm is stopped.",
      restart: async () => void restarted.push("todo"),
    });
    await control.handler("status", pi.context);
    await control.handler("restart todo", pi.context);
    await control.handler("restart nobody", pi.context);
    assert.deepEqual(pi.shown, [
      ["notify", "pi-capsule: fake.wasm is running.\npi-capsule: todo.wasm is stopped.", "info"],
      ["notify", "pi-capsule: todo.wasm is stopped.", "info"],
      ["notify", 'pi-capsule: there is no component called "nobody".', "error"],
    ]);
    assert.deepEqual(restarted, ["todo"]);
    assert.equal(calls.length, 1);
    const completions = control.getArgumentCompletions("restart ");
    assert.deepEqual(
      completions?.map(({ value }) => value),
      ["restart fake", "restart todo"],
    );
  });

  it("does not guess", async () => {
    await control.handler("stop\u001b[2J", pi.context);
    assert.deepEqual(pi.shown, [
      ["notify", '/pi-capsule does not know "stop\\u001b[2J". /pi-capsule [status|restart [NAME]]', "error"],
    ]);
    assert.equal(calls.length, 1);
  });

  it("completes its words", () => {
    assert.deepEqual(
      control.getArgumentCompletions("")?.map(({ value }) => value),
      ["status", "restart"],
    );
    assert.deepEqual(
      control.getArgumentCompletions("re")?.map(({ value }) => value),
      ["restart"],
    );
    assert.equal(control.getArgumentCompletions("restart"), null);
  });
});
