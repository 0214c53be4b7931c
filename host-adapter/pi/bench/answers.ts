/**
 * Whether all subjects answered the same. Numbers of one that does less than it should are worth nothing.
 */
import type { Measurement } from "./measure.ts";

type Row = Readonly<Record<string, unknown>>;

/** What two implementations must agree on. Cursors are opaque, and times may be printed in any offset. */
const FREE = new Set(["next_cursor", "created_at", "updated_at"]);
/** So many rows of each answer: where a page ends depends on how an implementation counts its frame. */
const ROWS = 10;

/** Throws if an answer differs, and names it. */
export function checkAnswers(entries: number, measured: readonly (readonly [string, readonly Measurement[]])[]): void {
  const [[firstName, firstRuns], ...others] = measured as [(typeof measured)[number], ...typeof measured];
  const expected = firstRuns[0]?.answers as Measurement["answers"];
  if (rows(expected.search).length !== 1 || rows(expected.absent).length !== 0) {
    throw new Error(`${entries} entries: ${firstName} does not find what was hidden in the session, and only that`);
  }
  for (const [name, runs] of others) {
    for (const answer of Object.keys(expected) as (keyof typeof expected)[]) {
      const [left, right] = [expected[answer], runs[0]?.answers[answer] ?? ""].map((text) => comparable(text));
      if (left !== right) {
        throw new Error(`${entries} entries: ${firstName} and ${name} differ in "${answer}":\n${left}\n${right}`);
      }
    }
  }
}

function comparable(answer: string): string {
  const sorted = (row: Row) =>
    Object.entries(row)
      .filter(([name]) => !FREE.has(name))
      .sort();
  return JSON.stringify(
    rows(answer)
      .slice(0, ROWS)
      .map((row) => Object.fromEntries(sorted(row))),
  );
}

function rows(answer: string): readonly Row[] {
  const { items, files } = JSON.parse(answer) as { items?: readonly Row[]; files?: readonly Row[] };
  return items ?? files ?? [];
}
