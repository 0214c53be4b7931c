import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Recovery } from "../src/recovery.ts";

describe("recovery", () => {
  const after = (...times: readonly number[]) => {
    const recovery = new Recovery();
    return times.map((time) => recovery.afterFault(time));
  };

  it("waits longer for each fault of a minute, and gives up after the third", () => {
    assert.deepEqual(after(0, 1, 2, 3, 4), [0, 1_000, 5_000, undefined, undefined]);
  });

  it("forgets faults that are a minute old", () => {
    assert.deepEqual(after(0, 60_000, 120_000), [0, 0, 0]);
    assert.deepEqual(after(0, 1, 2, 60_001), [0, 1_000, 5_000, 1_000]);
  });

  it("begins anew when it is told to", () => {
    const recovery = new Recovery();
    recovery.afterFault(0);
    recovery.reset();
    assert.equal(recovery.afterFault(1), 0);
  });
});
