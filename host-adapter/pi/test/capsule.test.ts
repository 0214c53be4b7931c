import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { Capsule } from "../src/capsule.ts";
import type { Guest } from "../src/host.ts";
import { FakePi, loadCapsule } from "./support/fake-pi.ts";
import { type Call, recordingGuest } from "./support/recording-guest.ts";

describe("capsule", () => {
  let pi: FakePi;
  let calls: Call[];
  let capsule: Capsule;
  beforeEach(async () => {
    pi = new FakePi();
    calls = [];
    capsule = await loadCapsule(
      pi,
      recordingGuest((call) => calls.push(call)),
    );
  });

  const open = () => capsule.open(pi.context, "start", (guest) => guest.lifecycle.sessionStarted("startup"));
  const close = () => capsule.close("end", (guest) => guest.lifecycle.sessionShutDown("quit"));
  const turn = (guest: Guest) => guest.lifecycle.turnEnded("completed");
  const trap = () => {
    throw new WebAssembly.RuntimeError("unreachable");
  };

  it("delivers nothing before a session and nothing after it", async () => {
    await capsule.call("turn", turn);
    await open();
    await capsule.call("turn", turn);
    await close();
    await capsule.call("turn", turn);
    assert.deepEqual(calls, [
      ["lifecycle.sessionStarted", "startup"],
      ["lifecycle.turnEnded", "completed"],
      ["lifecycle.sessionShutDown", "quit"],
    ]);
  });

  it("queues what an import causes while an export runs", async () => {
    await open();
    const story: string[] = [];
    await capsule.call("outer", () => {
      capsule.host.deliver("inner", () => story.push("inner"));
      capsule.host.defer(() => story.push("effect"));
      story.push("outer");
    });
    assert.deepEqual(story, ["outer", "effect", "inner"]);
  });

  it("shows notices at once, but after an event whose end wipes them away", async () => {
    await open();
    await capsule.call("turn", () => capsule.host.notify("info", "at once"));
    assert.deepEqual(pi.shown, [["notify", "at once", "info"]]);
    await capsule.callBeforeRedraw("compacted", () => capsule.host.notify("info", "later"));
    assert.equal(pi.shown.length, 1);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(pi.shown.at(-1), ["notify", "later", "info"]);
    await capsule.call("turn", () => capsule.host.notify("info", "at once again"));
    assert.deepEqual(pi.shown.at(-1), ["notify", "at once again", "info"]);
  });

  it("undoes everything at the end of a session, and drops what the last event asked for", async () => {
    await open();
    const undone: string[] = [];
    capsule.host.own(() => undone.push("kept"));
    capsule.host.own(() => undone.push("given up"))();
    await capsule.close("end", () => {
      capsule.host.own(() => undone.push("started at the end"));
      capsule.host.defer(() => undone.push("an effect"));
    });
    assert.deepEqual(undone, ["kept", "started at the end"]);
    assert.throws(() => capsule.host.session(), /outside of one/);
  });

  it("keeps a fault away from Pi, tells it once, and calls the guest no more", async () => {
    await open();
    const undone: string[] = [];
    capsule.host.own(() => undone.push("process"));
    assert.equal(await capsule.call("tools.call", trap), undefined);
    assert.equal(await capsule.call("turn", turn), undefined);
    await close();
    assert.deepEqual(calls, [["lifecycle.sessionStarted", "startup"]]);
    assert.deepEqual(undone, ["process"]);
    assert.deepEqual(pi.shown, [
      [
        "notify",
        "pi-capsule: fake.wasm failed in tools.call (unreachable) and has been stopped. " +
          "The session is unharmed. Type /reload to start it again.",
        "error",
      ],
    ]);
  });

  it("goes on undoing when something cannot be undone", async () => {
    await open();
    const undone: string[] = [];
    capsule.host.own(trap);
    capsule.host.own(() => undone.push("the next"));
    await close();
    assert.deepEqual(undone, ["the next"]);
  });

  it("contains an effect that Pi refuses, and tells the person", async () => {
    await open();
    await capsule.call("event", () =>
      capsule.host.defer(() => {
        throw new Error("no model");
      }),
    );
    assert.deepEqual(pi.shown, [["notify", "pi-capsule: Pi refused a request (no model).", "warning"]]);
  });

  it("waits for work that leads to more work", async () => {
    await open();
    const story: string[] = [];
    const first = Promise.resolve().then(() => {
      story.push("first");
      capsule.host.await(Promise.resolve().then(() => void story.push("second")));
    });
    capsule.host.await(first);
    await capsule.settled();
    assert.deepEqual(story, ["first", "second"]);
  });

  it("throws a fault while it is being loaded, since there is nobody else to tell", () => {
    assert.throws(() => capsule.describe(trap), {
      message: "pi-capsule: fake.wasm failed while it was loaded (unreachable). Install the package again.",
    });
  });
});
