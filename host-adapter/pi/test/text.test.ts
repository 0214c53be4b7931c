import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { jsonText, plainLine, plainLines } from "../src/text.ts";

describe("text", () => {
  it("shows control characters instead of obeying them", () => {
    const controls = [
      "\u0000",
      "\u001B",
      "\t",
      "\n",
      "\u007F",
      "\u0085",
      "\u009B",
      "\u202E",
      "\u2066",
      "\u2028",
      "\u2029",
    ];
    for (const control of controls) assert.equal(plainLine(`a${control}b`), "a\uFFFDb", JSON.stringify(control));
  });

  it("leaves everything else as it is", () => {
    const text = "📌 acme/widget · größe · 日本 · e\u0301";
    assert.equal(plainLine(text), text);
  });

  it("keeps line breaks where a text may have lines", () => {
    assert.equal(plainLines("usage:\n  pin\u001B[31m"), "usage:\n  pin\uFFFD[31m");
  });

  it("writes JSON without lone surrogates, in keys and values", () => {
    const text = jsonText({ "\uD800": "a\uDFFFb", pair: "\u{1F4CC}" }) ?? "";
    assert.deepEqual(JSON.parse(text), { "\uFFFD": "a\uFFFDb", pair: "\u{1F4CC}" });
    assert.equal(text.isWellFormed(), true);
    assert.doesNotMatch(text, /\\ud/);
  });

  it("does not take a backslash in the text for an escape", () => {
    for (const value of ["\\ud800", "\\\uD800", "\\\\ud800", "C:\\users\\udder"]) {
      assert.equal(JSON.parse(jsonText(value) ?? ""), value.toWellFormed());
    }
  });

  it("has no text for what JSON cannot hold", () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    for (const value of [undefined, () => {}, 1n, cycle]) assert.equal(jsonText(value), undefined);
  });
});
