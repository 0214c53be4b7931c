import assert from "node:assert/strict";
import { describe } from "node:test";
import { AT_ONCE, storyOfTamarind } from "../support/story.ts";

/** Every tool, with arguments that it can answer in a session that has just begun. */
const CALLS = [
  ["notes_write_file", { path: "plan.md", text: "Step one" }],
  ["notes_append_to_file", { path: "plan.md", text: ", step two" }],
  ["notes_read_file", { path: "plan.md" }],
  ["notes_list_files", { pattern: "**/*.md", file_order_by: "name", file_order: "ascending" }],
  ["notes_search_contents", { query: "step", path_prefix: "plan" }],
  ["history_list_windows", { limit: 5, recent_first: false }],
  ["history_list_items", { limit: 5, role: "user", recent_first: false }],
  ["history_search_contents", { query: ["tamarind", "cinnamon"], max_chars_per_item: 100 }],
  ["get_context_remaining", {}],
  ["new_context", {}],
] as const;

describe("the tools in the real Pi", { concurrency: AT_ONCE }, () => {
  storyOfTamarind("are all offered to the model, and Pi takes their arguments", async (session) => {
    const tools = session.offeredTools;
    const { items } = await session.ask<Items>("history_list_items", { role: "user" });
    const item = items.find(({ truncated_content: text }) => text.includes("tamarind"));
    const read = ["history_read_item", { window_id: item?.window_id ?? "", item_id: item?.item_id ?? "" }] as const;
    const calls = [...CALLS, read];
    assert.equal(calls.length, 11);
    for (const [tool] of calls) assert.ok(tools.includes(tool), tool);

    const before = session.pi.records.length;
    await session.run([{ call: calls }]);
    const ends = session.pi.records.slice(before).filter(({ type }) => type === "tool_execution_end");
    assert.deepEqual(
      ends.filter(({ isError }) => isError).map(({ result }) => result),
      [],
    );
    assert.equal(ends.length, 11);
    const answer = ends.at(-1)?.result as { content: readonly [{ text: string }] };
    assert.match(answer.content[0].text, /^\[.* · chars 0-27 of 27 · end\]\nRemember the word tamarind\.$/);
  });

  storyOfTamarind("write one after the other, and read side by side", async (session) => {
    const order = async (tool: string, args: Record<string, string>) => {
      const before = session.pi.records.length;
      await session.run([{ call: [[tool, args] as const, [tool, args] as const] }]);
      const types = session.pi.records.slice(before).map(({ type }) => type);
      return types.filter((type) => type.startsWith("tool_execution_")).map((type) => type.slice(15));
    };
    for (const tool of ["notes_append_to_file", "notes_write_file"])
      assert.deepEqual(await order(tool, { path: "a.md", text: "a" }), ["start", "end", "start", "end"], tool);
    assert.deepEqual(await order("history_list_windows", {}), ["start", "start", "end", "end"]);
  });

  storyOfTamarind("search for one text or several", async (session) => {
    await session.type("And the word cinnamon.");
    const found = async (query: unknown) => {
      const args = { query, role: "user", recent_first: false, limit: 2 };
      const { items } = await session.ask<Items>("history_search_contents", args);
      return items.map(({ truncated_content: text }) => /tamarind|cinnamon/.exec(text)?.[0]);
    };
    assert.deepEqual(await found("tamarind"), ["tamarind", "tamarind"], "the second is the order to search");
    assert.deepEqual(await found(["tamarind", "cinnamon"]), ["tamarind", "cinnamon"]);
    await session.call("notes_write_file", { path: "words.md", text: "one\ntwo\nthree" });
    const { files } = await session.ask<{ files: readonly { matches: readonly { text: string }[] }[] }>(
      "notes_search_contents",
      { query: ["three", "one"] },
    );
    assert.deepEqual(
      files[0]?.matches.map(({ text }) => text),
      ["one", "three"],
    );
  });

  storyOfTamarind("say what is wrong with a call", async (session) => {
    for (const [tool, args, says] of [
      ["history_search_contents", { query: "" }, /query/],
      ["history_search_contents", {}, /query/],
      ["history_list_items", { window: "x" }, /window/],
      ["history_list_items", { window_id: "pcw:nowhere" }, /pcw:.{8}:root/],
      ["history_list_items", { role: "user", tool_name: "read" }, /tool_name/],
      ["notes_write_file", { path: "../plan.md", text: "x" }, /path/],
    ] as const) {
      const { isError, text } = await session.call(tool, args);
      assert.ok(isError, `${tool} ${JSON.stringify(args)}`);
      assert.match(text, says);
    }
  });
});

interface Items {
  readonly items: readonly {
    readonly window_id: string;
    readonly item_id: string;
    readonly truncated_content: string;
  }[];
}
