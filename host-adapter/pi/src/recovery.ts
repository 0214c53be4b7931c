/**
 * How often a component that breaks is started again: the numbers, and nothing else.
 *
 * | faults in the last minute | what follows |
 * | --- | --- |
 * | 1 | a new instance at once |
 * | 2 | after a second |
 * | 3 | after five seconds |
 * | 4 | none, until the person asks for one or a session begins |
 */

/** How long to wait after the first fault, the second one, and so on, in milliseconds. */
const DELAYS: readonly number[] = [0, 1_000, 5_000];

/** For how long a fault counts, in milliseconds. */
const REMEMBERED = 60_000;

export class Recovery {
  #faults: number[] = [];

  /** Counts a fault. How long to wait before the next instance, in milliseconds; `undefined` when it was one too many. */
  afterFault(now: number): number | undefined {
    this.#faults = this.#faults.filter((at) => now - at < REMEMBERED);
    this.#faults.push(now);
    return DELAYS[this.#faults.length - 1];
  }

  /** Forgets all faults. */
  reset(): void {
    this.#faults = [];
  }
}
