import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Overdue, within } from "../src/deadline.ts";

/** `(module (func (export "spin") (loop br 0)))` */
const SPINNING = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 8, 1, 4, 115, 112, 105, 110, 0, 0, 10, 9, 1, 7, 0, 3,
  64, 12, 0, 11, 11,
]);

describe("deadline", () => {
  it("gives what the job returns or throws", () => {
    assert.equal(
      within(1_000, () => 42),
      42,
    );
    const failure = { tag: "denied" };
    assert.throws(
      () =>
        within(1_000, () => {
          throw failure;
        }),
      (thrown) => thrown === failure,
    );
  });

  it("stops WebAssembly that does not come to an end, again and again", { timeout: 10_000 }, () => {
    const { spin } = new WebAssembly.Instance(new WebAssembly.Module(SPINNING)).exports;
    for (let time = 0; time < 3; time += 1) {
      const begin = performance.now();
      assert.throws(() => within(100, spin as () => void), Overdue);
      assert.ok(performance.now() - begin < 2_000);
    }
    assert.equal(
      within(100, () => "as before"),
      "as before",
    );
  });

  it("may be nested: an import can lead to another component", { timeout: 10_000 }, () => {
    const inner = () => within(5_000, () => "inner");
    assert.equal(
      within(5_000, () => `${inner()} and ${inner()}`),
      "inner and inner",
    );
  });
});
