/**
 * The session files that the tests of both hosts read. `npm run fixtures` makes them.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Contents } from "./contents.ts";

export const FIXTURES = resolve(import.meta.dirname, "../../../tests/fixtures/sessions");

/** The path of a session file. */
export function fixture(name: string): string {
  return join(FIXTURES, `${name}.jsonl`);
}

/** What it holds. */
export function expectedIn(name: string): Contents {
  return JSON.parse(readFileSync(join(FIXTURES, `${name}.expected.json`), "utf8"));
}
