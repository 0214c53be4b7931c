import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Overdue, refuseWhenLate, within } from "../src/deadline.ts";
import { importsFor } from "../src/imports/index.ts";
import { FakeHost } from "./support/fake-host.ts";

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

  it("never stops an import half-way", { timeout: 10_000 }, () => {
    const story = { begun: 0, ended: 0 };
    const pi = {
      appendEntry: () => {
        story.begun += 1;
        const end = performance.now() + 5;
        while (performance.now() < end);
        story.ended += 1;
      },
    };
    const host = new FakeHost({ pi, context: { sessionManager: { getLeafId: () => "e" } as never } });
    const { append } = importsFor(host)["pi:extension/session-writer@0.1.0"];
    const appendForEver = () => {
      for (;;) append("pr-footer-state", "{}");
    };
    assert.throws(() => within(1_000, appendForEver), Overdue);
    assert.ok(story.begun > 10);
    assert.equal(story.ended, story.begun);
  });

  it("bounds imports within a job only, by the job that has the least time", { timeout: 10_000 }, () => {
    const wait = (milliseconds: number) => {
      const end = performance.now() + milliseconds;
      while (performance.now() < end);
    };
    refuseWhenLate();
    within(1_000, () => {
      within(100, refuseWhenLate);
      wait(150);
      refuseWhenLate();
      within(10_000, () => {
        wait(760);
        assert.throws(refuseWhenLate, /within 1 seconds/);
      });
    });
    refuseWhenLate();
  });

  it("may be nested: an import can lead to another component", { timeout: 10_000 }, () => {
    const inner = () => within(5_000, () => "inner");
    assert.equal(
      within(5_000, () => `${inner()} and ${inner()}`),
      "inner and inner",
    );
  });
});
