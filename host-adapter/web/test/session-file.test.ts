/**
 * Files of all ages and states: the cases of `host-adapter/rust/src/session_file/read.rs`, with the same outcome.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NotASession, Reading } from "../src/worker/session-file/reading.ts";
import type { SessionFile } from "../src/worker/session-file/session-file.ts";
import { HEADER } from "./support/sessions.ts";

const FIRST = JSON.stringify({ ...HEADER, id: "s1", timestamp: "2024-12-03T14:00:00.000Z" });
const BROKEN = "the file is damaged, and what is shown is what can be read";

interface Read {
  readonly session: SessionFile;
  readonly leftOut: string | undefined;
}

/** Reads a file that arrives in parts of so many bytes. */
function read(content: string | Uint8Array<ArrayBuffer>, part = 7): Read {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const filled = new Uint8Array(bytes.length);
  const reading = new Reading(filled, (customType) => customType === "ours");
  for (let start = 0; start < bytes.length; start += part) {
    filled.set(bytes.subarray(start, start + part), start);
    reading.take(Math.min(start + part, bytes.length));
  }
  const { session, leftOut } = reading.end();
  return { session, leftOut: leftOut.sentence };
}

function session(...lines: readonly string[]): Read {
  return read(`${[FIRST, ...lines].join("\n")}\n`);
}

function user(id: string, parentId: string | null, content: string): string {
  return JSON.stringify({ type: "message", id, parentId, message: { role: "user", content } });
}

function branch({ session }: Read): readonly string[] {
  return [...session.headers(0)].map(({ id }) => id);
}

function texts({ session }: Read): readonly string[] {
  return [...session.headers(0)].flatMap(({ id }) => session.body(id)?.textParts ?? []);
}

describe("a session file", () => {
  it("is its header and its branch", () => {
    const opened = session(user("a", null, "one"), user("b", "a", "beside"), user("c", "a", "two"));
    const createdAt = 1_733_234_400_000n;
    assert.deepEqual(opened.session.info, { id: "s1", cwd: "/work", pathStyle: "posix", createdAt });
    assert.deepEqual(branch(opened), ["a", "c"]);
    assert.deepEqual(texts(opened), ["one", "two"]);
    assert.equal(opened.leftOut, undefined);
    assert.equal(opened.session.position("b"), undefined);
    assert.equal(opened.session.body("b"), undefined);
  });

  it("has the latest name, or none", () => {
    const name = (id: string, text: string): string =>
      JSON.stringify({ type: "session_info", id, parentId: null, name: text });
    assert.equal(session(name("a", "one"), name("b", " two ")).session.info.name, "two");
    assert.equal(session(name("a", "one"), name("b", " ")).session.info.name, undefined);
  });

  it("loses what cannot be read, and nothing else", () => {
    const hologram = '{"type":"hologram","id":"h","parentId":"c"}';
    const [a, b, c] = [user("a", null, "one"), user("b", "a", "two"), user("c", "b", "three")];
    const opened = session(a, "{broken", "", "[1]", '{"type":"custom"}', b, "  ", c, hologram);
    assert.deepEqual(branch(opened), ["a", "b", "c", "h"]);
    assert.deepEqual(texts(opened), ["one", "two", "three"]);
    const what = "3 lines cannot be read; 1 entry is of an unknown kind (hologram)";
    assert.equal(opened.leftOut, `${what}; a later version of pi-capsule may know more`);
    assert.equal(session(a, "{broken").leftOut, `1 line cannot be read; ${BROKEN}`);
  });

  it("names a few of many unknown kinds", () => {
    const kinds = ["x".repeat(100), "\u001B[2J", "a", "b", "c", "d", "e"];
    const lines = kinds.map((type, index) => JSON.stringify({ type, id: `k${index}`, parentId: null }));
    assert.match(
      session(...lines).leftOut ?? "",
      /^7 entries are of an unknown kind \(\uFFFD\[2J, a, b, c, d, and 2 more\);/,
    );
  });

  it("may stop in the middle of its last line", () => {
    const whole = [FIRST, user("a", null, "one"), user("b", "a", "two")].join("\n");
    const cut = read(whole.slice(0, -5));
    assert.deepEqual(branch(cut), ["a"]);
    const remedy = "if Pi is writing to it now, try again when Pi has finished";
    assert.equal(cut.leftOut, `the last line is incomplete; ${remedy}`);
    const unended = read(whole);
    assert.deepEqual(texts(unended), ["one", "two"]);
    assert.equal(unended.leftOut, undefined);
  });

  it("may lack a parent, or have them in a circle", () => {
    const lost = session(user("a", null, "one"), user("b", "lost", "two"), user("c", "b", "three"));
    assert.deepEqual(branch(lost), ["b", "c"]);
    assert.equal(lost.leftOut, `the beginning of the branch is missing; ${BROKEN}`);
    const circle = session(user("a", "c", "one"), user("b", "a", "two"), user("c", "b", "three"));
    assert.deepEqual(branch(circle), ["a", "b", "c"]);
    assert.equal(circle.leftOut, lost.leftOut);
    assert.deepEqual(branch(session(user("a", "a", "one"))), ["a"]);
  });

  it("may use an id twice: the later entry has it", () => {
    const opened = session(user("a", null, "one"), user("a", null, "two"), user("b", "a", "three"));
    assert.deepEqual(texts(opened), ["two", "three"]);
  });

  it("may hold half characters and broken bytes, which become visible", () => {
    const [half = "", broken = ""] = [user("a", null, "x\\ud83dy").replace("\\\\", "\\"), user("b", "a", "caf?")];
    const bytes = new TextEncoder().encode(`${FIRST}\n${half}\n${broken}\n`);
    bytes[bytes.lastIndexOf("?".charCodeAt(0))] = 0xe9;
    const opened = read(bytes);
    assert.deepEqual(texts(opened), ["x\uFFFDy", "caf\uFFFD"]);
    assert.equal(opened.leftOut, undefined);
    const id = session(user("a\uD83D", null, "one"), user("b", "a\uD83D", "two"));
    assert.deepEqual(texts(id), ["one", "two"]);
  });

  it("may have the line ends of Windows, and its paths", () => {
    const header = JSON.stringify({ ...HEADER, cwd: "C:\\src" });
    const opened = read([header, user("a", null, "one"), user("b", "a", "two"), ""].join("\r\n"));
    assert.deepEqual(texts(opened), ["one", "two"]);
    assert.equal(opened.session.info.pathStyle, "windows");
  });

  it("of version 1 is a chain, with a hook's messages under their old name", () => {
    const opened = read(`{"type":"session","id":"old","timestamp":"2024-12-03T14:00:00.000Z","cwd":"/work"}
      {"type":"message","timestamp":"2024-12-03T14:00:01.000Z","message":{"role":"user","content":"one"}}
      {"type":"message","message":{"role":"hookMessage","customType":"x","content":"two"}}
      {"type":"compaction","summary":"three","firstKeptEntryIndex":1}`);
    assert.deepEqual(branch(opened), ["00000000", "00000001", "00000002"]);
    assert.deepEqual(texts(opened), ["one", "two", "three"]);
    assert.equal([...opened.session.headers(1)][0]?.kind.tag, "custom-message");
    assert.equal(opened.leftOut, undefined);
  });

  it("of a later version is read as far as it is known", () => {
    const opened = read(`${JSON.stringify({ ...HEADER, version: 4 })}\n${user("a", null, "one")}\n`);
    assert.deepEqual(texts(opened), ["one"]);
    const remedy = "a later version of pi-capsule may know more";
    assert.equal(opened.leftOut, `its format 4 is later than the 3 known here; ${remedy}`);
  });

  it("keeps the data of other extensions to itself", () => {
    const custom = (id: string, customType: string): string =>
      JSON.stringify({ type: "custom", id, parentId: null, customType, data: { a: 1 } });
    const [theirs] = session(custom("a", "theirs")).session.headers(0);
    assert.deepEqual(theirs?.kind, { tag: "custom", val: { customType: "theirs" } });
    const [ours] = session(custom("a", "ours")).session.headers(0);
    assert.deepEqual(ours?.kind, { tag: "custom", val: { customType: "ours", data: '{"a":1}' } });
  });

  it("may have lines before its header", () => {
    const opened = read(`\n// a note\n${FIRST}\n${user("a", null, "one")}\n`);
    assert.deepEqual(texts(opened), ["one"]);
    assert.equal(opened.leftOut, `1 line cannot be read; ${BROKEN}`);
  });

  it("is nothing else", () => {
    const refusal = (content: string): string => {
      try {
        read(content, 1 << 19);
      } catch (error) {
        if (error instanceof NotASession) return error.message;
      }
      return "";
    };
    assert.equal(refusal(""), "this file is empty");
    const noHeader = "this is not a Pi session: it does not begin with a session header";
    const others = [
      "\n\n",
      "some text\n",
      "{}",
      "[]",
      "null",
      user("a", null, "one"),
      '{"type":"session","version":3}',
    ];
    for (const content of others) assert.equal(refusal(content), noHeader, content);
    assert.equal(refusal(`${"x".repeat(1 << 20)}\n${FIRST}\n`), noHeader, "the header comes too late");
  });
});
