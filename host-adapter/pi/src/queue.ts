/**
 * The order in which the guest is called: one export at a time, first come, first served.
 *
 * Knows nothing of components or of Pi. A job is one export call; an effect is what an import has promised to do once
 * that call has returned.
 */

/** Runs jobs one after the other, and the effects of a job between it and the next one. */
export class CallQueue {
  readonly #jobs: (() => void)[] = [];
  readonly #effects: (() => void)[] = [];
  #draining = false;

  /**
   * Runs `job`: before this returns when nothing else runs, otherwise after everything that was asked for earlier.
   * The promise takes the job's value, or what it threw.
   */
  run<T>(job: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#jobs.push(() => {
      try {
        resolve(job());
      } catch (error) {
        reject(error);
      }
    });
    this.#drain();
    return promise;
  }

  /** Runs `effect` once the running job has returned; at once when none runs. It must not throw. */
  defer(effect: () => void): void {
    this.#effects.push(effect);
    this.#drain();
  }

  /** Forgets the effects that have not run yet. Jobs stay, since somebody may be waiting for them. */
  dropEffects(): void {
    this.#effects.length = 0;
  }

  #drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) next();
    } finally {
      this.#draining = false;
    }
  }

  #next(): (() => void) | undefined {
    return this.#effects.shift() ?? this.#jobs.shift();
  }
}
