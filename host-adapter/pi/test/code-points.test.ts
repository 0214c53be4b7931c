/**
 * Positions in text, as JavaScript and the component count them: in code points, a lone surrogate being one.
 */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { Capsule } from "../src/capsule.ts";
import { loadComponent } from "../src/component.ts";
import { FakePi } from "./support/fake-pi.ts";
import { policy } from "./support/policy.ts";

/** Units of text that are counted differently somewhere: the two halves of 😀 by themselves, too. */
const UNITS = ["a", "é", "\u0301", "日", "\uD83D", "\uDE00", "\uFFFD", "\u200D", '"', "\\", "\n", "\u0000"];

/** Every text of three of them. */
const TEXTS = UNITS.flatMap((first) => UNITS.flatMap((second) => UNITS.map((third) => first + second + third)));

interface Page {
  readonly items: readonly {
    readonly item_id: string;
    readonly total_chars: number;
    readonly match_offset_chars: number;
    readonly truncated_content: string;
  }[];
  readonly next_cursor: number | null;
}

describe("code points", () => {
  const session = SessionManager.inMemory("/work/widget");
  const texts = new Map<string, string>();
  let capsule: Capsule;
  before(async () => {
    for (const text of TEXTS)
      texts.set(session.appendMessage({ role: "user", content: `${text}needle`, timestamp: 0 }), text);
    const pi = new FakePi();
    capsule = new Capsule(pi.api, await loadComponent(new URL("../component/", import.meta.url)), policy);
    Object.assign(pi.api, { sendMessage: () => {} });
    Object.assign(pi.context, { sessionManager: session });
    await capsule.open(pi.context, "start", (guest) => guest.lifecycle.sessionStarted("startup"));
  });

  const search = async (cursor: number): Promise<Page> => {
    const args = JSON.stringify({ query: "needle", cursor, limit: 100, role: "user", recent_first: false });
    const invocation = { callId: "1", name: "history_search_contents", arguments: args, cwd: "/work/widget" };
    const output = await capsule.call("tools.call", (guest) => guest.tools.call(invocation));
    return JSON.parse(output?.text ?? "");
  };

  it("are counted alike, whatever the text is made of", async () => {
    const seen = new Set<string>();
    for (let cursor: number | null = 0; cursor !== null; ) {
      const { items, next_cursor }: Page = await search(cursor);
      for (const item of items) {
        const text = texts.get(item.item_id) ?? "";
        const length = [...text].length;
        assert.equal(item.match_offset_chars, length, JSON.stringify(text));
        assert.equal(item.total_chars, length + "needle".length, JSON.stringify(text));
        assert.equal(item.truncated_content, `${text}needle`.toWellFormed());
        seen.add(item.item_id);
      }
      cursor = next_cursor;
    }
    assert.equal(seen.size, TEXTS.length);
  });
});
