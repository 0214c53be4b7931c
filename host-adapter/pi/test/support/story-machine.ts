/**
 * The machine of a story, under the adapter's own imports: time passes when the story says so, chance counts, and programs
 * run until the story ends them. What `tests/conformance/README.md` calls the world.
 */
import type { Scope } from "../../component/types/interfaces/pi-extension-settings.js";
import type { Machine } from "../../src/machine.ts";
import type { Ending, RunningProgram } from "../../src/process.ts";

/** The wall clock and the other one when a story begins. */
export const NOW = 1_700_000_000_000;
const MONOTONIC = 5_000;
const MINUTES_EAST = 60;

interface Running {
  readonly args: string;
  readonly end: (ending: Ending) => void;
}

interface Timer {
  readonly due: number;
  readonly expire: () => void;
}

export class StoryMachine implements Machine {
  /** The section `pi-context` of the person's and of the project's settings, as JSON. */
  sections: readonly [global: string | null, project: string | null] = [null, null];
  /** Whether the files of the settings cannot be read. */
  isUnreadable = false;
  readonly #record: (line: string) => void;
  readonly #running: Running[] = [];
  readonly #timers = new Set<Timer>();
  #elapsed = 0;
  #lastRandom = 0;

  /** `record` is told of programs and timers that begin, or are given up. */
  constructor(record: (line: string) => void) {
    this.#record = record;
  }

  /** How many programs and timers there are. */
  get busy(): readonly [programs: number, timers: number] {
    return [this.#running.length, this.#timers.size];
  }

  /** Ends one of the running programs, counted round. */
  end(nth: number, ending: Ending): void {
    const [program] = this.#running.length === 0 ? [] : this.#running.splice(nth % this.#running.length, 1);
    program?.end(ending);
  }

  /** Lets time pass. Each timer that is due then expires, unless one before it has led to its end. */
  elapse(milliseconds: number): void {
    this.#elapsed += milliseconds;
    for (const timer of [...this.#timers].filter(({ due }) => due <= this.#elapsed)) {
      if (this.#timers.delete(timer)) timer.expire();
    }
  }

  now(): number {
    return NOW + this.#elapsed;
  }

  monotonicNow(): number {
    return MONOTONIC + this.#elapsed;
  }

  utcOffset(): number {
    return MINUTES_EAST;
  }

  wait(milliseconds: number, expire: () => void): () => void {
    const timer = { due: this.#elapsed + milliseconds, expire };
    this.#timers.add(timer);
    this.#record(`timer in ${milliseconds} ms`);
    return () => {
      if (this.#timers.delete(timer)) this.#record("no timer");
    };
  }

  randomBits(): number {
    this.#lastRandom += 1;
    return this.#lastRandom;
  }

  run(program: string, list: readonly string[]): RunningProgram {
    const args = list.join(" ");
    this.#record(`run ${program} ${args}`);
    const { promise: ended, resolve: end } = Promise.withResolvers<Ending>();
    const running = { args, end };
    this.#running.push(running);
    const cancel = (): void => {
      const at = this.#running.indexOf(running);
      if (at < 0) return;
      this.#running.splice(at, 1);
      this.#record(`kill ${args}`);
      end({ tag: "cancelled" });
    };
    return { ended, cancel };
  }

  settings(scope: Scope): Readonly<Record<string, unknown>> {
    if (this.isUnreadable) throw new Error("the host refuses");
    const section = this.sections[scope === "global" ? 0 : 1];
    return section === null ? {} : { "pi-context": JSON.parse(section) };
  }
}
