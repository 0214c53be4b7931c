import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import { status } from "../../src/imports/status.ts";
import { FakeHost } from "../support/fake-host.ts";

function openStatus(ui: Partial<ExtensionUIContext> = {}) {
  const shown: unknown[][] = [];
  const host = new FakeHost({
    context: {
      ui: {
        setStatus: (...args: unknown[]) => shown.push(args),
        notify: (...args: unknown[]) => shown.push(args),
        ...ui,
      } as ExtensionUIContext,
    },
  });
  return { host, shown, ...status(host) };
}

describe("status", () => {
  it("shows the line as text, without control characters", () => {
    const { shown, setStatus } = openStatus();
    setStatus("pr-footer", "acme/widget · ev\u001B[2Jil\u202E\n · 1s");
    setStatus("pr-footer", undefined);
    assert.deepEqual(shown, [
      ["pr-footer", "acme/widget · ev\uFFFD[2Jil\uFFFD\uFFFD · 1s"],
      ["pr-footer", undefined],
    ]);
  });

  it("takes the line away at the end, if it is shown", () => {
    const { host, shown, setStatus } = openStatus();
    setStatus("pr-footer", "one");
    setStatus("pr-footer", "two");
    assert.equal(host.disposers.size, 1);
    for (const dispose of host.disposers) dispose();
    assert.deepEqual(shown.at(-1), ["pr-footer", undefined]);
    setStatus("pr-footer", "three");
    setStatus("pr-footer", undefined);
    assert.equal(host.disposers.size, 1, "the disposer of the line before is left to its owner");
  });

  it("refuses a line that is not the guest's, and tells the person once", () => {
    const { host, shown, setStatus } = openStatus();
    for (const key of ["mcp", "other"]) {
      assert.throws(() => setStatus(key, "x"), {
        payload: { tag: "denied", val: `the status line "${key}" is not allowed` },
      });
    }
    assert.deepEqual(shown, []);
    assert.deepEqual(host.told, [
      'pi-capsule: refused a request of the component: the status line "mcp" is not allowed.',
    ]);
  });

  it("answers with the failure of Pi", () => {
    const { setStatus, notify } = openStatus({
      setStatus: () => {
        throw new Error("no footer");
      },
      notify: () => {
        throw new Error("no screen");
      },
    });
    assert.throws(() => setStatus("pr-footer", "x"), { payload: { tag: "failed", val: "no footer" } });
    assert.throws(() => notify("info", "x"), { payload: { tag: "failed", val: "no screen" } });
  });

  it("notifies with the lines of a notice", () => {
    const { shown, notify } = openStatus();
    notify("warning", "one\ntwo\u0007");
    assert.deepEqual(shown, [["one\ntwo\uFFFD", "warning"]]);
  });
});
