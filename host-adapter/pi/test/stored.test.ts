import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { NOTHING_USED } from "../scripts/fixtures/recorder.ts";
import { parseStored, storedText } from "../src/stored.ts";

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

describe("stored JSON", () => {
  it("is any value, as deep and as long as the contract promises", () => {
    assert.deepEqual(parseStored('{"a":[null,1,"[[["]}'), { a: [null, 1, "[[["] });
    assert.ok(parseStored(nested(127)));
    assert.ok(parseStored(`{"a":${nested(126)}}`));
    assert.ok(parseStored(JSON.stringify("x".repeat(2 * 1024 * 1024 - 2))));
  });

  it("is refused when it is not JSON, too deep or too long", () => {
    assert.throws(() => parseStored("{"), SyntaxError);
    assert.throws(() => parseStored(nested(128)), /^Error: nested deeper than 127 levels$/);
    assert.throws(() => parseStored(nested(1024 * 1024)), /deeper/);
    assert.throws(() => parseStored(nested(1024 * 1024 + 1)), /^Error: longer than 2097152 bytes$/);
  });

  it("limits plain text to the same length", () => {
    const long = "é".repeat(1024 * 1024);
    assert.equal(storedText(long), long);
    assert.throws(() => storedText(`${long}x`), /^Error: longer than 2097152 bytes$/);
  });

  it("does not keep Pi from writing the session, which deeper JSON would", () => {
    const directory = mkdtempSync(join(tmpdir(), "pi-capsule-stored-"));
    try {
      const writtenWith = (data: unknown): number => {
        const manager = SessionManager.create("/work/widget", directory);
        manager.appendCustomEntry("pr-footer-state", data);
        manager.appendMessage({ role: "user", content: "Hello.", timestamp: 0 });
        manager.appendMessage({
          role: "assistant",
          content: [{ type: "text", text: "Hello." }],
          ...{ api: "scripted", provider: "scripted", model: "scripted-1" },
          usage: NOTHING_USED,
          stopReason: "stop",
          timestamp: 0,
        });
        return readFileSync(manager.getSessionFile() ?? "", "utf8")
          .trimEnd()
          .split("\n").length;
      };
      assert.equal(writtenWith(parseStored(nested(127))), 4);
      assert.throws(() => writtenWith(JSON.parse(nested(1024 * 1024))), RangeError);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
