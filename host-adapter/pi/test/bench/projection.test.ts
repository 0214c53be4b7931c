import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fauxAssistantMessage, fauxText, fauxThinking, fauxToolCall } from "@earendil-works/pi-ai";
import { type SessionEntry, SessionManager } from "@earendil-works/pi-coding-agent";
import { notesOf } from "../../bench/notes.ts";
import { itemsOf, windowsOf } from "../../bench/projection.ts";

const SESSION = "0123456789";
const ROOT = "pcw:01234567:root";

const user = (content: string) => ({ role: "user" as const, content, timestamp: 0 });
const reset = (windowId: unknown) => ({ piContext: "reset-v2", windowId });

/** The branch of a real session that was filled like this. */
function branchOf(fill: (manager: SessionManager) => void): SessionEntry[] {
  const manager = SessionManager.inMemory("/work/widget");
  fill(manager);
  return manager.getBranch();
}

/** Name and number of items of each window. */
function windows(fill: (manager: SessionManager) => void): [string, number][] {
  const branch = branchOf(fill);
  const items = itemsOf(SESSION, branch);
  return windowsOf(SESSION, branch).map(({ id }) => [id, items.filter(({ windowId }) => windowId === id).length]);
}

/** What is shown of each item, without its place. */
function items(fill: (manager: SessionManager) => void): unknown[] {
  return itemsOf(SESSION, branchOf(fill)).map(({ windowId: _, itemId: _id, text, ...rest }) => [rest, text()]);
}

describe("the projection in TypeScript: windows", () => {
  it("has a root window without any entry", () => {
    assert.deepEqual(
      windows(() => {}),
      [[ROOT, 0]],
    );
  });

  it("starts a window at a reset, which its summary is the first item of", () => {
    const filled = windows((manager) => {
      manager.appendMessage(user("one"));
      manager.appendCustomEntry("pi-context/reset-marker", { version: 1, reason: "manual", requested: false });
      manager.appendCompaction("cleared", null, 10, reset("pcw:01234567:0a0b0c0d"));
      manager.appendMessage(user("two"));
    });
    assert.deepEqual(filled, [
      [ROOT, 1],
      ["pcw:01234567:0a0b0c0d", 2],
    ]);
  });

  it("takes a marker that names a window and its compaction for one boundary", () => {
    const filled = windows((manager) => {
      manager.appendCustomEntry("pi-context/reset-marker", { version: 1, windowId: "later" });
      manager.appendMessage(user("between"));
      manager.appendCompaction("cleared", null, 10, reset("later"));
    });
    assert.deepEqual(filled, [
      [ROOT, 0],
      ["later", 2],
    ]);
  });

  it("names a window by its entry when a reset gives no name, or one that is taken", () => {
    const ids: string[] = [];
    const filled = windows((manager) => {
      ids.push(manager.appendCompaction("by Pi", null, 10));
      ids.push(manager.appendCompaction("another", null, 10, { piContext: "reset-v1", windowId: "w" }));
      ids.push(manager.appendCompaction("no text", null, 10, reset(7)));
      ids.push(manager.appendCompaction("taken", null, 10, reset(ROOT)));
    });
    assert.deepEqual(
      filled.map(([id]) => id),
      [ROOT, ...ids],
    );
  });
});

describe("the projection in TypeScript: items", () => {
  it("shows text, calls and results, and no thinking", () => {
    const call = fauxToolCall("read", { path: "a\uD800" });
    const shown = items((manager) => {
      manager.appendMessage(user("a\uD800b"));
      manager.appendMessage(fauxAssistantMessage([fauxThinking("hm"), fauxText("I"), call, fauxText("look.")]));
      const content = [{ type: "text" as const, text: "" }];
      const result = { role: "toolResult" as const, toolCallId: "1", toolName: "read", content, timestamp: 0 };
      manager.appendMessage({ ...result, isError: true });
      manager.appendModelChange("scripted", "scripted-1");
      manager.appendMessage(user(""));
    });
    assert.deepEqual(shown, [
      [{ role: "user" }, "a\uFFFDb"],
      [{ role: "assistant" }, "I\nlook."],
      [{ role: "tool_call", toolName: "read" }, '{"path":"a\uFFFD"}'],
      [{ role: "tool", toolName: "read", toolError: true }, ""],
    ]);
  });

  it("names calls by their place among the calls", () => {
    const branch = branchOf((manager) => {
      manager.appendMessage(fauxAssistantMessage([fauxToolCall("read", {}), fauxText("and"), fauxToolCall("ls", {})]));
    });
    const id = branch[0]?.id;
    assert.deepEqual(
      itemsOf(SESSION, branch).map(({ itemId }) => itemId),
      [id, `${id}#0`, `${id}#1`],
    );
  });

  it("shows commands of the person, unless they are kept from the model", () => {
    const execution = {
      role: "bashExecution" as const,
      command: "make",
      output: "done",
      exitCode: 0,
      cancelled: false,
    };
    const shown = items((manager) => {
      manager.appendMessage({ ...execution, truncated: true, fullOutputPath: "/tmp/output", timestamp: 0 });
      manager.appendMessage({ ...execution, truncated: false, excludeFromContext: true, timestamp: 0 });
    });
    const expected = { role: "tool", toolName: "bash", outputTruncated: true, fullOutputPath: "/tmp/output" };
    assert.deepEqual(shown, [[expected, "make\ndone"]]);
  });

  it("tells messages of this extension from those of others, and shows summaries", () => {
    const shown = items((manager) => {
      manager.appendCustomMessageEntry("pi-context/boot", "ours", false);
      manager.appendCustomMessageEntry("todo", "theirs", false);
      manager.appendCustomEntry("todo", { text: "state" });
      manager.branchWithSummary(manager.getLeafId(), "left");
    });
    assert.deepEqual(shown, [
      [{ role: "developer" }, "ours"],
      [{ role: "user" }, "theirs"],
      [{ role: "system" }, "left"],
    ]);
  });

  it("shows what the latest edit of an entry leaves, in the entry's place", () => {
    const shown = items((manager) => {
      const secret = manager.appendMessage(user("secret"));
      const wrong = manager.appendMessage(user("wrong"));
      const last = manager.appendMessage(user("last"));
      manager.appendContextEdit(wrong, null);
      manager.appendContextEdit(secret, null);
      manager.appendContextEdit(wrong, { content: "right" });
      manager.appendContextEdit(last, { content: "" });
    });
    assert.deepEqual(shown, [[{ role: "user" }, "right"]]);
  });
});

describe("the projection in TypeScript: notes", () => {
  const write = { op: "write", path: "a.md", text: "one", createdAt: 1, updatedAt: 2 };

  function notes(...operations: unknown[]) {
    const branch = branchOf((manager) => {
      for (const operation of operations) manager.appendCustomEntry("pi-context/note", operation);
    });
    return [...notesOf(branch).values()];
  }

  it("writes, appends, and keeps the first time of creation", () => {
    const appended = { ...write, op: "append", text: "é", createdAt: 3, updatedAt: 4 };
    assert.deepEqual(notes(write, appended), [
      { path: "a.md", text: "oneé", bytes: 5, stale: false, createdAt: 1, updatedAt: 4 },
    ]);
    assert.deepEqual(
      notes(appended).map(({ text }) => text),
      ["é"],
    );
  });

  it("marks notes, revives them with text, and needs a note to mark", () => {
    const mark = { op: "append", path: "a.md", stale: true, createdAt: 3, updatedAt: 4 };
    assert.deepEqual(notes(mark), []);
    assert.deepEqual(
      notes(write, mark).map(({ text, stale, updatedAt }) => [text, stale, updatedAt]),
      [["one", true, 2]],
    );
    assert.equal(notes(write, mark, write)[0]?.stale, false);
    assert.equal(notes(write, { ...write, stale: true })[0]?.stale, true);
  });

  it("passes over what is not valid", () => {
    const broken = [
      { op: "delete" },
      ...["", "/a", "a//b", "a/", ".", "a/../b", "a\\b", "a\0", 7].map((path) => ({ path })),
      { text: 7 },
      { text: null },
      { stale: "yes" },
      { text: undefined },
      { createdAt: "2026-01-01" },
      { updatedAt: 8.64e15 + 2 },
      { text: "x".repeat(1_000_001) },
    ].map((members) => ({ ...write, ...members }));
    assert.deepEqual(notes(write, ...broken, null, "text", []), notes(write));
  });

  it("takes a note up to its limit", () => {
    const largest = { ...write, text: "x".repeat(1_000_000) };
    assert.equal(notes(largest, { ...write, op: "append", text: "y" })[0]?.text, largest.text);
  });
});
