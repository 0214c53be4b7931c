import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseSessionEntries, SessionManager } from "@earendil-works/pi-coding-agent";
import { ABSENT_WORD, RARE_WORD, SESSION_ID, sessionLines } from "../../bench/generated-session.ts";
import { notesOf } from "../../bench/notes.ts";
import { itemsOf, windowsOf } from "../../bench/projection.ts";

const text = [...sessionLines(1000)].join("\n");
const branch = SessionManager.inMemory("/work", undefined, parseSessionEntries(text)).getBranch();

describe("a generated session", () => {
  it("is the same every time, and one branch of as many entries as were asked for", () => {
    assert.equal([...sessionLines(1000)].join("\n"), text);
    assert.equal(branch.length, 1000);
  });

  it("has what the benchmark needs: windows, notes, and all kinds of items", () => {
    const items = itemsOf(SESSION_ID, branch);
    assert.deepEqual(new Set(items.map(({ role }) => role)).size, 6);
    assert.equal(windowsOf(SESSION_ID, branch).length, 3);
    assert.ok(notesOf(branch).size > 10);
  });

  it("has the rare word in one item near its root, and the other one nowhere", () => {
    const items = itemsOf(SESSION_ID, branch);
    const holding = items.flatMap((item, position) => (item.text().includes(RARE_WORD) ? [position] : []));
    assert.equal(holding.length, 1);
    assert.ok((holding[0] ?? items.length) < 50);
    assert.ok(!text.includes(ABSENT_WORD));
  });
});
