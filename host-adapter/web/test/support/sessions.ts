/**
 * Session files made for a test: one branch, one message an entry.
 */
import type { GivenFile } from "./browser.ts";

export const HEADER = {
  type: "session",
  version: 3,
  id: "0193a1b2-test",
  timestamp: "2026-01-05T09:00:00.000Z",
  cwd: "/work",
};

/** The id of the entry with that number, counted from 0. */
export function entryId(index: number): string {
  return `e${String(index).padStart(7, "0")}`;
}

/** The lines of a session in which the person says these texts. */
export function linesOf(texts: readonly string[]): readonly string[] {
  const entries = texts.map((content, index) => {
    const parentId = index === 0 ? null : entryId(index - 1);
    return { type: "message", id: entryId(index), parentId, message: { role: "user", content } };
  });
  return [HEADER, ...entries].map((line) => JSON.stringify(line));
}

export function sessionOf(texts: readonly string[]): GivenFile {
  return { name: "made.jsonl", text: `${linesOf(texts).join("\n")}\n` };
}
