import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { Capsule } from "../src/capsule.ts";
import type { Guest } from "../src/host.ts";
import { componentOf, FakePi, loadCapsule } from "./support/fake-pi.ts";
import { policy } from "./support/policy.ts";
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

  it("keeps a fault away from Pi, tells it once, and goes on with a new instance", async () => {
    await open();
    const undone: string[] = [];
    capsule.host.own(() => undone.push("process"));
    assert.equal(await capsule.call("tools.call", trap), undefined);
    await capsule.call("turn", turn);
    assert.deepEqual(calls, [
      ["lifecycle.sessionStarted", "startup"],
      ["lifecycle.sessionStarted", "recovered"],
      ["lifecycle.turnEnded", "completed"],
    ]);
    assert.deepEqual(undone, ["process"]);
    assert.deepEqual(pi.shown, [
      [
        "notify",
        "pi-capsule: fake.wasm failed in tools.call (unreachable) and is started again. The session is unharmed.",
        "warning",
      ],
    ]);
    assert.equal(capsule.condition, "fake.wasm is running. It failed last in tools.call: unreachable.");
  });

  it("waits longer each time, and stops in the end until the person wants it back", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    await open();
    const recovered = () => calls.filter(([, reason]) => reason === "recovered").length;
    await capsule.call("event", trap);
    assert.equal(recovered(), 1);
    for (const [delay, count] of [
      [1_000, 2],
      [5_000, 3],
    ] as const) {
      await capsule.call("event", trap);
      assert.equal(await capsule.call("turn", turn), undefined);
      assert.match(capsule.condition, /will be started again/);
      test.mock.timers.tick(delay - 1);
      assert.equal(recovered(), count - 1);
      test.mock.timers.tick(1);
      assert.equal(recovered(), count);
    }
    await capsule.call("event", trap);
    test.mock.timers.tick(600_000);
    assert.equal(recovered(), 3);
    assert.match(capsule.condition, /is stopped/);
    assert.deepEqual(
      pi.shown.map(([, text, level]) => [String(text).replace(/^.*\) /, ""), level]),
      [
        ["and is started again. The session is unharmed.", "warning"],
        ["again and stays stopped. The session is unharmed. Type /pi-capsule restart to try again.", "error"],
      ],
    );
    await capsule.restart();
    assert.equal(recovered(), 4);
    assert.match(capsule.condition, /is running/);
  });

  it("takes an instance that cannot be made for a fault", async () => {
    const guest = recordingGuest((call) => calls.push(call));
    let made = 0;
    const scarce = {
      ...componentOf(guest),
      instantiate: () => {
        made += 1;
        if (made === 2) throw new RangeError("out of memory");
        return guest;
      },
    };
    capsule = new Capsule(pi.api, scarce, policy);
    await open();
    await capsule.call("event", trap);
    assert.equal(await capsule.call("turn", turn), undefined);
    assert.match(capsule.condition, /will be started again in a moment\. It failed last in its start: out of memory/);
    await capsule.restart();
    await capsule.call("turn", turn);
    assert.deepEqual(calls.slice(-2), [
      ["lifecycle.sessionStarted", "recovered"],
      ["lifecycle.turnEnded", "completed"],
    ]);
  });

  it("delivers no answer to another instance than the one that asked", async () => {
    await open();
    await capsule.call("event", () => {
      capsule.host.deliver("answer", (guest) => guest.completions.timerFired(1));
      trap();
    });
    assert.deepEqual(calls, [
      ["lifecycle.sessionStarted", "startup"],
      ["lifecycle.sessionStarted", "recovered"],
    ]);
    capsule.host.deliver("answer", (guest) => guest.completions.timerFired(2));
    assert.deepEqual(calls.at(-1), ["completions.timerFired", 2]);
  });

  it("stops a guest that asks for too much, in one call or over many", async () => {
    await open();
    const most = policy.limits.requests;
    const ask = (count: number) => {
      for (let made = 0; made < count; made += 1) capsule.host.request();
    };
    await capsule.call("event", () => ask(most));
    await capsule.call("event", () => ask(most));
    assert.deepEqual(pi.shown, []);
    await capsule.call("event", () => ask(most + 1));
    assert.match(capsule.condition, new RegExp(`it made more than ${most} requests in one call`));

    const undone: number[] = [];
    const own = (id: number) => capsule.host.own(() => undone.push(id));
    for (let id = 0; id < most; id += 1) own(id);
    await capsule.call("event", () => ask(1));
    own(most);
    await capsule.call("event", () => ask(1));
    assert.match(capsule.condition, new RegExp(`it has more than ${most} requests under way`));
    assert.equal(undone.length, most + 1);
  });

  it("tells of a fault after the redraw that would wipe it away", async () => {
    await open();
    await capsule.callBeforeRedraw("compacted", trap);
    assert.deepEqual(pi.shown, []);
    await new Promise((resolve) => setImmediate(resolve));
    assert.match(String(pi.shown[0]?.[1]), /failed in compacted/);
  });

  it("tells of faults again when the person has asked for another try", async () => {
    await open();
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      await capsule.call("event", trap);
      assert.equal(pi.shown.length, attempt);
      await capsule.restart();
    }
  });

  it("starts with a new instance in the next session", async () => {
    await open();
    for (let fault = 0; fault < 2; fault += 1) await capsule.call("event", trap);
    await capsule.close("end", trap);
    assert.match(capsule.condition, /is stopped\. It failed last in event/);
    assert.equal(pi.shown.length, 1);
    await open();
    await capsule.call("turn", turn);
    assert.deepEqual(calls.slice(-2), [
      ["lifecycle.sessionStarted", "startup"],
      ["lifecycle.turnEnded", "completed"],
    ]);
  });

  it("tells of a fault at the very end", async () => {
    await open();
    await capsule.close("lifecycle.session-shut-down", trap);
    assert.deepEqual(
      pi.shown.map(([, text]) => text),
      ["pi-capsule: fake.wasm failed in lifecycle.session-shut-down (unreachable). The session is unharmed."],
    );
  });

  it("takes a call that does not come to an end for a fault", { timeout: 5_000 }, async () => {
    const impatient = { ...policy, limits: { ...policy.limits, callMilliseconds: 50 } };
    capsule = new Capsule(pi.api, componentOf(recordingGuest((call) => calls.push(call))), impatient);
    await open();
    const begin = performance.now();
    await capsule.call("turn", () => {
      for (;;);
    });
    assert.ok(performance.now() - begin < 2_000);
    assert.match(String(pi.shown[0]?.[1]), /failed in turn \(it did not come to an end within 0\.05 seconds\)/);
    assert.match(capsule.condition, /is running/);
  });

  it("tells what was refused while it was loaded once there is a session", async () => {
    capsule.refuse("denied tool", "refused");
    await open();
    assert.deepEqual(pi.shown, [["notify", "refused", "warning"]]);
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
