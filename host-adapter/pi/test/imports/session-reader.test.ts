import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fauxAssistantMessage, fauxText, fauxThinking, fauxToolCall } from "@earendil-works/pi-ai";
import { type SessionEntry, SessionManager } from "@earendil-works/pi-coding-agent";
import type { Changes, Entry } from "../../component/types/interfaces/pi-extension-session-reader.js";
import { sessionReader } from "../../src/imports/session-reader.ts";
import { FakeHost } from "../support/fake-host.ts";

/** A real session in memory, its reader, and a count of how many entries were looked at. */
function openSession() {
  const manager = SessionManager.inMemory("/work/widget");
  const looked = { count: 0 };
  const getEntry = manager.getEntry.bind(manager);
  manager.getEntry = (id) => {
    looked.count += 1;
    return getEntry(id);
  };
  const host = new FakeHost({ sessionManager: manager });
  return { manager, looked, reader: sessionReader(host) };
}

const user = (text: string) => ({ role: "user" as const, content: text, timestamp: 0 });
const ids = ({ val }: Changes): string[] => val.entries.map(({ id }) => id);
const onlyEntry = ({ val }: Changes): Entry => {
  assert.equal(val.entries.length, 1);
  return val.entries[0] as Entry;
};

/** The kind of an entry that is in a session in this form. */
function kindOf(append: (manager: SessionManager) => void): Entry["kind"] {
  const { manager, reader } = openSession();
  append(manager);
  return onlyEntry(reader.changesSince(undefined)).kind;
}

describe("session-reader: following the branch", () => {
  it("gives the whole branch at first, and what is new after that", () => {
    const { manager, reader } = openSession();
    const first = manager.appendMessage(user("one"));
    const second = manager.appendMessage(user("two"));
    const whole = reader.changesSince(undefined);
    assert.deepEqual([whole.tag, ids(whole)], ["replaced", [first, second]]);

    assert.deepEqual(reader.changesSince(second), { tag: "appended", val: { entries: [], more: false } });
    const third = manager.appendMessage(user("three"));
    const rest = reader.changesSince(second);
    assert.deepEqual([rest.tag, ids(rest)], ["appended", [third]]);
  });

  it("looks only at what is new, however long the branch is", () => {
    const { manager, reader, looked } = openSession();
    for (let index = 0; index < 5000; index += 1) manager.appendMessage(user(`message ${index}`));
    reader.changesSince(undefined);
    const cursor = manager.getLeafId() ?? "";
    manager.appendMessage(user("new"));
    looked.count = 0;
    reader.changesSince(cursor);
    assert.ok(looked.count <= 4, `${looked.count} entries were looked at for one that is new`);
  });

  it("gives the new branch when the leaf moved to a sibling", () => {
    const { manager, reader } = openSession();
    const root = manager.appendMessage(user("root"));
    const left = manager.appendMessage(user("left"));
    reader.changesSince(undefined);
    manager.branch(root);
    const right = manager.appendMessage(user("right"));

    const fromLeft = reader.changesSince(left);
    assert.deepEqual([fromLeft.tag, ids(fromLeft)], ["replaced", [root, right]]);
    const fromRoot = reader.changesSince(root);
    assert.deepEqual([fromRoot.tag, ids(fromRoot)], ["appended", [right]]);
    assert.deepEqual(
      reader.readBodies([left, right]).map((body) => body?.textParts),
      [undefined, ["right"]],
    );

    manager.branch(left);
    const back = reader.changesSince(right);
    assert.deepEqual([back.tag, ids(back)], ["replaced", [root, left]]);
  });

  it("follows the leaf back to nothing", () => {
    const { manager, reader } = openSession();
    const root = manager.appendMessage(user("root"));
    reader.changesSince(undefined);
    manager.resetLeaf();
    assert.deepEqual(reader.changesSince(root), { tag: "replaced", val: { entries: [], more: false } });
  });

  it("tells the same as a reader that has seen nothing, after any moves", () => {
    const { manager, reader } = openSession();
    const known = [manager.appendMessage(user("root"))];
    // A fixed walk over the tree: some steps grow the branch, some move to an entry far away.
    for (let step = 1; step < 300; step += 1) {
      if (step % 7 === 0) manager.branch(known[(step * 31) % known.length] ?? "");
      known.push(manager.appendMessage(user(`step ${step}`)));
      const cursor = known[(step * 17) % known.length];
      const fresh = sessionReader(new FakeHost({ sessionManager: manager }));
      assert.deepEqual(reader.changesSince(cursor), fresh.changesSince(cursor));
    }
  });

  it("pages by number, and the pages joined are the branch", () => {
    const { manager, reader } = openSession();
    const all = Array.from({ length: 2500 }, (_, index) => manager.appendMessage(user(`message ${index}`)));
    const sizes: number[] = [];
    const seen: string[] = [];
    for (let cursor: string | undefined, more = true; more; cursor = seen.at(-1)) {
      const page = reader.changesSince(cursor);
      sizes.push(page.val.entries.length);
      seen.push(...ids(page));
      more = page.val.more;
    }
    assert.deepEqual(sizes, [1000, 1000, 500]);
    assert.deepEqual(seen, all);
  });

  it("ends a page early when its JSON exceeds 1 MiB", () => {
    const { manager, reader } = openSession();
    const data = { text: "x".repeat(400 * 1024) };
    for (let index = 0; index < 5; index += 1) manager.appendCustomEntry("pi-context/note", data);
    const page = reader.changesSince(undefined);
    assert.deepEqual([page.val.entries.length, page.val.more], [3, true]);
  });
});

describe("session-reader: headers", () => {
  it("describes messages by their role", () => {
    assert.deepEqual(
      kindOf((manager) => manager.appendMessage(user("hi"))),
      {
        tag: "message",
        val: { tag: "user", val: { hasText: true, toolCalls: [] } },
      },
    );
    const answer = fauxAssistantMessage([fauxThinking("hm"), fauxToolCall("read", {}), fauxToolCall("ls", {})]);
    assert.deepEqual(
      kindOf((manager) => manager.appendMessage(answer)),
      {
        tag: "message",
        val: { tag: "assistant", val: { hasText: false, toolCalls: ["read", "ls"] } },
      },
    );
    const result = {
      role: "toolResult" as const,
      toolCallId: "1",
      toolName: "read",
      content: [{ type: "text" as const, text: "" }],
      isError: true,
      timestamp: 0,
    };
    assert.deepEqual(
      kindOf((manager) => manager.appendMessage(result)),
      {
        tag: "message",
        val: { tag: "tool-result", val: { toolName: "read", isError: true, hasText: false } },
      },
    );
  });

  it("describes commands that the person ran", () => {
    const execution = {
      role: "bashExecution" as const,
      command: "make",
      output: "done",
      exitCode: 0,
      cancelled: false,
      truncated: true,
      fullOutputPath: "/tmp/output",
      excludeFromContext: true,
      timestamp: 0,
    };
    assert.deepEqual(
      kindOf((manager) => manager.appendMessage(execution)),
      {
        tag: "message",
        val: {
          tag: "bash-execution",
          val: { truncated: true, fullOutputPath: "/tmp/output", hiddenFromModel: true },
        },
      },
    );
  });

  it("gives the data of the guest's own entries, and withholds that of others", () => {
    assert.deepEqual(
      kindOf((manager) => manager.appendCustomEntry("pr-footer-state", { version: 1 })),
      {
        tag: "custom",
        val: { customType: "pr-footer-state", data: '{"version":1}' },
      },
    );
    assert.deepEqual(
      kindOf((manager) => manager.appendCustomEntry("todo", { secret: 1 })),
      {
        tag: "custom",
        val: { customType: "todo" },
      },
    );
    assert.deepEqual(
      kindOf((manager) => manager.appendCustomEntry("pi-context/state")),
      {
        tag: "custom",
        val: { customType: "pi-context/state" },
      },
    );
  });

  it("gives JSON without lone surrogates", () => {
    const kind = kindOf((manager) =>
      manager.appendCustomEntry("pi-context/note", { text: "a\uD800b", path: "\\ud800" }),
    );
    assert.equal(kind.tag, "custom");
    assert.deepEqual(JSON.parse(kind.val.data ?? ""), { text: "a\uFFFDb", path: "\\ud800" });
  });

  it("takes messages of extensions in both of their forms", () => {
    const expected = { tag: "custom-message", val: { customType: "pi-context/boot", hasText: true } };
    assert.deepEqual(
      kindOf((manager) => manager.appendCustomMessageEntry("pi-context/boot", "text", false)),
      expected,
    );
    const legacy = {
      role: "custom" as const,
      customType: "pi-context/boot",
      content: "text",
      display: false,
      timestamp: 0,
    };
    assert.deepEqual(
      kindOf((manager) => manager.appendMessage(legacy)),
      expected,
    );
  });

  it("gives context edits with what they put in place", () => {
    const { manager, reader } = openSession();
    const target = manager.appendMessage(user("secret"));
    manager.appendContextEdit(target, { content: "better" });
    manager.appendContextEdit(target, null);
    const kinds = reader.changesSince(target).val.entries.map(({ kind }) => kind);
    assert.deepEqual(kinds, [
      { tag: "context-edit", val: { target, replacement: { hasText: true, toolCalls: [] } } },
      { tag: "context-edit", val: { target } },
    ]);
  });

  it("gives the details of compactions, and names every other kind", () => {
    const { manager, reader } = openSession();
    const root = manager.appendMessage(user("root"));
    manager.appendCompaction("summary", null, 10, { windowId: "w" });
    manager.appendCompaction("summary", null, 10);
    manager.appendModelChange("scripted", "scripted-1");
    manager.branchWithSummary(manager.getLeafId(), "left");
    const kinds = reader.changesSince(root).val.entries.map(({ kind }) => kind);
    assert.deepEqual(kinds, [
      { tag: "compaction", val: '{"windowId":"w"}' },
      { tag: "compaction", val: undefined },
      { tag: "other", val: "model_change" },
      { tag: "branch-summary" },
    ]);
  });

  it("leaves out a time that cannot be read, and names a role that it does not know", () => {
    const entry = { type: "message", id: "a", parentId: null, timestamp: "?", message: { role: "oracle" } };
    const manager = SessionManager.inMemory("/work", undefined, [entry as unknown as SessionEntry]);
    const read = onlyEntry(sessionReader(new FakeHost({ sessionManager: manager })).changesSince(undefined));
    assert.deepEqual(read, { id: "a", kind: { tag: "message", val: { tag: "other", val: "oracle" } } });
  });
});

describe("session-reader: bodies and the session", () => {
  it("gives text, tool calls and summaries, in the order asked for", () => {
    const { manager, reader } = openSession();
    const question = manager.appendMessage(user("a\uD800b"));
    const call = fauxToolCall("read", { path: "README.md" });
    const answer = manager.appendMessage(fauxAssistantMessage([fauxText("I look."), call, fauxText("So.")]));
    const edit = manager.appendContextEdit(question, { content: "better" });
    const state = manager.appendCustomEntry("pr-footer-state", {});
    const compaction = manager.appendCompaction("All of it.", null, 10);
    assert.deepEqual(reader.readBodies([compaction, answer, state, edit, "unknown", question]), [
      { textParts: ["All of it."], toolCalls: [] },
      { textParts: ["I look.", "So."], toolCalls: [{ name: "read", arguments: '{"path":"README.md"}' }] },
      undefined,
      { textParts: ["better"], toolCalls: [] },
      undefined,
      { textParts: ["a\uFFFDb"], toolCalls: [] },
    ]);
  });

  it("answers at least one body, and stops after about 1 MiB", () => {
    const { manager, reader } = openSession();
    const large = manager.appendMessage(user("x".repeat(3 * 1024 * 1024)));
    const small = Array.from({ length: 5 }, () => manager.appendMessage(user("y".repeat(300 * 1024))));
    assert.equal(reader.readBodies([large, ...small]).length, 1);
    assert.equal(reader.readBodies(small).length, 4);
  });

  it("tells which session it is", () => {
    const { manager, reader } = openSession();
    const createdAt = BigInt(Date.parse(manager.getHeader()?.timestamp ?? ""));
    const info = { id: manager.getSessionId(), cwd: "/work/widget", pathStyle: "posix", createdAt };
    assert.deepEqual(reader.session(), info);
    manager.appendSessionInfo("Refactoring");
    assert.deepEqual(reader.session(), { ...info, name: "Refactoring" });
  });
});
