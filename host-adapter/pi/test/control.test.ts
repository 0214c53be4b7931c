import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
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
  beforeEach(async () => {
    pi = new FakePi();
    calls = [];
    const capsule = loadCapsule(
      pi,
      recordingGuest((call) => calls.push(call)),
    );
    registerControl(pi.api, capsule);
    control = pi.commands[0] as unknown as Control;
    await capsule.open(pi.context, "start", (guest) => guest.lifecycle.sessionStarted("startup"));
  });

  it("says how the component is, and what else it knows", async () => {
    await control.handler("", pi.context);
    await control.handler(" status ", pi.context);
    assert.deepEqual(pi.shown, [
      ["notify", "pi-capsule: fake.wasm is running.\n/pi-capsule [status|restart]", "info"],
      ["notify", "pi-capsule: fake.wasm is running.", "info"],
    ]);
  });

  it("puts a new instance in place", async () => {
    await control.handler("restart", pi.context);
    assert.deepEqual(calls.at(-1), ["lifecycle.sessionStarted", "recovered"]);
    assert.deepEqual(pi.shown, [["notify", "pi-capsule: fake.wasm is running.", "info"]]);
  });

  it("does not guess", async () => {
    await control.handler("stop\u001b[2J", pi.context);
    assert.deepEqual(pi.shown, [
      ["notify", '/pi-capsule does not know "stop\\u001b[2J". /pi-capsule [status|restart]', "error"],
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
