/**
 * What is measured of each subject, and how: the same calls on the same branch, in the same order.
 *
 * A process measures one subject once, because a person meets it that way: nothing is compiled, cached or collected
 * yet. Later calls are sampled. A library for micro-benchmarks would not help: before each sample the session grows by
 * an entry, samples take from microseconds to seconds, and the wasmtime side has to go by the same rule.
 */
import { setTimeout } from "node:timers/promises";
import { ABSENT_WORD, RARE_WORD } from "./generated-session.ts";

/** Something that follows a session and answers for it. */
export interface Subject {
  /** Begins the session, if there is anything to do. */
  start?(): Promise<void>;
  /** A request to the model is about to be built. */
  contextRequested(): Promise<void>;
  /** `history_list_items` without arguments. */
  listItems(): Promise<string>;
  /** `history_search_contents` for one text. */
  searchItems(query: string): Promise<string>;
  /** `notes_list_files` without arguments. */
  listNotes(): Promise<string>;
  /** How large its WebAssembly memory is, if it has one. */
  wasmBytes(): number | null;
}

/** Lets the session grow by an entry, as happens between two events. */
export interface Growth {
  answer(): void;
  note(): void;
}

/** Milliseconds by what was measured, and the answers before the session grew. The wasmtime side prints the same. */
export interface Measurement {
  readonly times: {
    /** Beginning the session. */
    readonly start: number | null;
    /** The first list of notes. */
    readonly firstNotes: number;
    /** The first search, which has to read every text. */
    readonly firstSearch: number;
    /** After one more entry, per call. */
    readonly contextHook: readonly number[];
    readonly listItems: readonly number[];
    readonly listNotes: readonly number[];
    readonly searchRare: readonly number[];
    readonly searchAbsent: readonly number[];
  };
  readonly memory: {
    /** By how much the process grew, from before the session began. `null` where the system does not tell. */
    readonly processBytes: number | null;
    readonly wasmBytes: number | null;
  };
  readonly answers: {
    readonly items: string;
    readonly search: string;
    readonly absent: string;
    readonly notes: string;
  };
}

/** Sampling ends after so many samples, or so many milliseconds, but not before the least. */
const SAMPLES = 50;
const LEAST_SAMPLES = 5;
const SAMPLING = 1000;

export async function measure(subject: Subject, growth: Growth): Promise<Measurement> {
  const before = await processBytes();
  const start = subject.start === undefined ? null : await timed(subject.start);
  const firstNotes = await timed(() => subject.listNotes());
  const firstSearch = await timed(() => subject.searchItems(RARE_WORD));
  const memory = { processBytes: (await processBytes()) - before, wasmBytes: subject.wasmBytes() };
  const answers = {
    items: await subject.listItems(),
    search: await subject.searchItems(RARE_WORD),
    absent: await subject.searchItems(ABSENT_WORD),
    notes: await subject.listNotes(),
  };
  const times = {
    start,
    firstNotes,
    firstSearch,
    contextHook: await sampled(growth.answer, () => subject.contextRequested()),
    listItems: await sampled(growth.answer, () => subject.listItems()),
    listNotes: await sampled(growth.note, () => subject.listNotes()),
    searchRare: await sampled(growth.answer, () => subject.searchItems(RARE_WORD)),
    searchAbsent: await sampled(growth.answer, () => subject.searchItems(ABSENT_WORD)),
  };
  return { times, memory, answers };
}

async function sampled(prepare: () => void, call: () => Promise<unknown>): Promise<number[]> {
  const samples: number[] = [];
  const begin = performance.now();
  while (samples.length < SAMPLES && (samples.length < LEAST_SAMPLES || performance.now() - begin < SAMPLING)) {
    prepare();
    samples.push(await timed(call));
  }
  return samples;
}

async function timed(call: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await call();
  return performance.now() - begin;
}

/** The resident memory, without what could be collected. */
async function processBytes(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error("start node with --expose-gc: memory is measured without garbage");
  // The second one finds what the first one has made free; the system gets its pages back in between.
  for (let round = 0; round < 2; round += 1) {
    globalThis.gc();
    await setTimeout(100);
  }
  return process.memoryUsage.rss();
}
