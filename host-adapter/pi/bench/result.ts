/**
 * From measurements to one figure for each thing that was measured: the median.
 */
import type { Measurement } from "./measure.ts";

/** The component in Node and under wasmtime, and the projection in TypeScript. */
export const SUBJECTS = ["component", "wasmtime", "typescript"] as const;
export type SubjectName = (typeof SUBJECTS)[number];

/** What one subject needs: milliseconds, and bytes where the name says so. */
export interface Summary {
  readonly contextHook: number;
  readonly listItems: number;
  readonly searchRare: number;
  readonly searchAbsent: number;
  readonly listNotes: number;
  readonly start: number | null;
  readonly firstNotes: number;
  readonly firstSearch: number;
  /** Beginning the session and the first search, which reads every text. */
  readonly coldLoad: number;
  readonly processBytes: number | null;
  readonly wasmBytes: number | null;
}

/** All subjects on a session of one size. */
export interface Result {
  readonly entries: number;
  /** Of the session file. */
  readonly bytes: number;
  readonly subjects: Readonly<Partial<Record<SubjectName, Summary>>>;
}

/** The medians over all runs of a subject. */
export function summary(runs: readonly Measurement[]): Summary {
  const over = (values: (run: Measurement) => number | readonly number[]) => median(runs.flatMap(values));
  const known = (value: (run: Measurement) => number | null) => {
    const values = runs.map(value).filter((one) => one !== null);
    return values.length === 0 ? null : median(values);
  };
  return {
    contextHook: over(({ times }) => times.contextHook),
    listItems: over(({ times }) => times.listItems),
    searchRare: over(({ times }) => times.searchRare),
    searchAbsent: over(({ times }) => times.searchAbsent),
    listNotes: over(({ times }) => times.listNotes),
    start: known(({ times }) => times.start),
    firstNotes: over(({ times }) => times.firstNotes),
    firstSearch: over(({ times }) => times.firstSearch),
    coldLoad: over(({ times }) => (times.start ?? 0) + times.firstSearch),
    processBytes: known(({ memory }) => memory.processBytes),
    wasmBytes: known(({ memory }) => memory.wasmBytes),
  };
}

/** The middle one. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
