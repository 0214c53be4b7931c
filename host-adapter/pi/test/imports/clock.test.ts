import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { within } from "../../harness/wait.ts";
import { clock } from "../../src/imports/clock.ts";
import { FakeHost } from "../support/fake-host.ts";

describe("clock", () => {
  it("fires each timer once, and not early", async () => {
    const host = new FakeHost({});
    const { startTimer } = clock(host);
    const start = performance.now();
    const slow = startTimer(30);
    const fast = startTimer(0);
    // Timers do not keep a process alive, so the wait has to.
    await within("the first timer", host.delivery);
    await within("the second timer", host.delivery);
    assert.deepEqual(host.delivered, [
      ["completions.timerFired", fast],
      ["completions.timerFired", slow],
    ]);
    assert.ok(performance.now() - start >= 30);
    assert.equal(host.disposers.size, 0, "a timer that fired is nothing to dispose of");
  });

  it("does not fire a timer that was cancelled, nor one of a session that has ended", async () => {
    const host = new FakeHost({});
    const { startTimer, cancelTimer } = clock(host);
    cancelTimer(startTimer(0));
    cancelTimer(12345);
    startTimer(0);
    for (const dispose of host.disposers) dispose();
    const last = startTimer(20);
    await within("the last timer", host.delivery);
    assert.deepEqual(host.delivered, [["completions.timerFired", last]]);
  });

  it("takes a delay that is too long for Node for what it is", async () => {
    const host = new FakeHost({});
    const { startTimer } = clock(host);
    startTimer(2 ** 32 - 1);
    startTimer(20);
    await within("the short timer", host.delivery);
    assert.deepEqual(host.delivered, [["completions.timerFired", 2]]);
    for (const dispose of host.disposers) dispose();
  });

  it("knows both clocks", () => {
    const { now, monotonicNow } = clock(new FakeHost({}));
    assert.ok(Math.abs(Number(now()) - Date.now()) < 1000);
    const earlier = monotonicNow();
    assert.ok(earlier <= monotonicNow());
  });

  it("knows the offset of local time at any moment, positive in the east", () => {
    const { utcOffset } = clock(new FakeHost({}));
    const [winter, summer] = [BigInt(Date.UTC(2026, 0, 1)), BigInt(Date.UTC(2026, 6, 1))];
    const offsetsIn = (zone: string) => {
      process.env.TZ = zone;
      return [utcOffset(winter), utcOffset(summer), utcOffset(2n ** 62n)];
    };
    const zone = process.env.TZ;
    try {
      assert.deepEqual(offsetsIn("Asia/Kathmandu"), [345, 345, 0]);
      assert.deepEqual(offsetsIn("America/St_Johns"), [-210, -150, 0]);
      assert.deepEqual(offsetsIn("UTC"), [0, 0, 0]);
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });
});
