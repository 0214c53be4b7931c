/**
 * Chance that comes out the same every time: Marsaglia's xorshift with 32 bits. Not for secrets.
 */
export class Dice {
  #state: number;

  /** A seed other than 0 gives a sequence of its own. */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + (this.#next() % (most - least + 1));
  }

  /** True in one of so many cases. */
  oneIn(cases: number): boolean {
    return this.#next() % cases === 0;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.#next() % choices.length] as T;
  }

  /** Eight hexadecimal digits. */
  hex(): string {
    return this.#next().toString(16).padStart(8, "0");
  }

  #next(): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state >>> 0;
    return this.#state;
  }
}
