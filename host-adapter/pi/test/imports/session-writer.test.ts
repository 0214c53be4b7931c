import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { sessionReader } from "../../src/imports/session-reader.ts";
import { sessionWriter } from "../../src/imports/session-writer.ts";
import { FakeHost } from "../support/fake-host.ts";

function openWriter(appendEntry?: () => void) {
  const sessionManager = SessionManager.inMemory("/work");
  const pi = {
    appendEntry:
      appendEntry ?? ((customType: string, data?: unknown) => void sessionManager.appendCustomEntry(customType, data)),
  };
  const host = new FakeHost({ pi, sessionManager });
  return { sessionManager, host, reader: sessionReader(host), append: sessionWriter(host).append };
}

describe("session-writer", () => {
  it("appends an entry that the reader gives at once", () => {
    const { append, reader } = openWriter();
    const id = append("pr-footer-state", '{"version":1}');
    const { entries } = reader.changesSince(undefined).val;
    assert.deepEqual(
      entries.map((entry) => [entry.id, entry.kind]),
      [[id, { tag: "custom", val: { customType: "pr-footer-state", data: '{"version":1}' } }]],
    );
  });

  it("refuses entries of other extensions", () => {
    const { append, sessionManager } = openWriter();
    assert.throws(() => append("todo", "{}"), {
      payload: { tag: "denied", val: 'entries of type "todo" are not allowed' },
    });
    assert.equal(sessionManager.getLeafId(), null);
  });

  it("refuses what cannot be stored", () => {
    const { append } = openWriter();
    assert.throws(
      () => append("pr-footer-state", "{"),
      ({ payload }) => payload.tag === "invalid-data",
    );
    const longest = 2 * 1024 * 1024;
    assert.throws(() => append("pr-footer-state", JSON.stringify("ü".repeat(longest / 2))), {
      payload: { tag: "invalid-data", val: `longer than ${longest} bytes` },
    });
    assert.ok(append("pr-footer-state", JSON.stringify("x".repeat(longest - 2))));
  });

  it("answers with the failure of Pi", () => {
    const { append } = openWriter(() => {
      throw new Error("disk full");
    });
    assert.throws(() => append("pr-footer-state", "{}"), { payload: { tag: "failed", val: "disk full" } });
  });
});
