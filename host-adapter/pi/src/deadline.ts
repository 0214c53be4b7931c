/**
 * A bound for code that may never return, WebAssembly included.
 *
 * V8 can be told from another thread to stop what it runs. Node does that for scripts with a timeout, and makes an
 * exception of it; so the job is called by such a script. The thread costs about a tenth of a millisecond a call. The
 * alternatives, and what they cost, are in `docs/performance.md`.
 */
import { Script } from "node:vm";

/** Where the script finds the job: it has no scope but the global one. */
const SLOT = Symbol.for("pi-capsule/deadline");
const SCRIPT = new Script(`globalThis[Symbol.for(${JSON.stringify(SLOT.description)})]()`);

/** What {@link within} throws when time is up. */
export class Overdue extends Error {
  override readonly name = "Overdue";

  constructor(milliseconds: number) {
    super(`it did not come to an end within ${milliseconds / 1000} seconds`);
  }
}

/** Runs `job`, and gives what it returns or throws. Stops it when it takes longer than so many milliseconds. */
export function within<T>(milliseconds: number, job: () => T): T {
  const slots = globalThis as unknown as Record<typeof SLOT, (() => unknown) | undefined>;
  const outer = slots[SLOT];
  slots[SLOT] = job;
  try {
    return SCRIPT.runInThisContext({ timeout: milliseconds }) as T;
  } catch (error) {
    throw isTimeout(error) ? new Overdue(milliseconds) : error;
  } finally {
    slots[SLOT] = outer;
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
