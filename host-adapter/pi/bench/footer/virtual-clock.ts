/**
 * The import `clock` on a time that passes only when it is told to, so that a day takes seconds.
 */
import type * as Clock from "../../component/types/interfaces/pi-extension-clock.js";

export class VirtualClock {
  #now = 0;
  #lastId = 0;
  readonly #timers = new Map<number, number>();
  readonly #begin = BigInt(Date.UTC(2026, 0, 5, 9));

  readonly imports: typeof Clock = {
    now: () => this.#begin + BigInt(this.#now),
    monotonicNow: () => BigInt(this.#now),
    utcOffset: () => 0,
    startTimer: (delay) => {
      this.#lastId += 1;
      this.#timers.set(this.#lastId, this.#now + delay);
      return this.#lastId;
    },
    cancelTimer: (id) => void this.#timers.delete(id),
  };

  /** Lets time pass up to a moment. `fire` is called for each timer when it is due, earliest first. */
  async advance(to: number, fire: (id: number) => Promise<unknown>): Promise<void> {
    for (let next = this.#earliest(to); next !== undefined; next = this.#earliest(to)) {
      const [id, due] = next;
      this.#timers.delete(id);
      this.#now = due;
      await fire(id);
    }
    this.#now = to;
  }

  #earliest(to: number): readonly [id: number, due: number] | undefined {
    const due = [...this.#timers].filter(([, at]) => at <= to);
    return due.toSorted(([, left], [, right]) => left - right)[0];
  }
}
