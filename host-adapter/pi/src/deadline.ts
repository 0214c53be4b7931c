/**
 * A bound for code that may never return, WebAssembly included.
 *
 * V8 can be told from another thread to stop what it runs. Node does that for scripts with a timeout, and makes an
 * exception of it; so the job is called by such a script. The thread costs about a tenth of a millisecond a call. The
 * alternatives, and what they cost, are in `docs/performance.md`.
 *
 * V8 stops whatever runs at that moment, between any two instructions, and neither `catch` nor `finally` is run. In the
 * midst of Pi's own code that would leave an entry in Pi's memory that is not in its file. So an import, which leads into
 * Pi, is not begun any more when time is nearly up: it has the last tenth to come to its end.
 */
import { Script } from "node:vm";

/** Where the script finds the job: it has no scope but the global one. */
const SLOT = Symbol.for("pi-capsule/deadline");
const SCRIPT = new Script(`globalThis[Symbol.for(${JSON.stringify(SLOT.description)})]()`);

/** The part of the time in which imports may begin. */
const SHARE_FOR_IMPORTS = 0.9;

/** Until when the running job may begin an import, on the monotonic clock, and how long it may take in all. */
interface Bound {
  readonly lastBegin: number;
  readonly milliseconds: number;
}

let bound: Bound | undefined;

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
  const outer = { job: slots[SLOT], bound };
  slots[SLOT] = job;
  const lastBegin = performance.now() + milliseconds * SHARE_FOR_IMPORTS;
  bound = bound !== undefined && bound.lastBegin < lastBegin ? bound : { lastBegin, milliseconds };
  try {
    return SCRIPT.runInThisContext({ timeout: milliseconds }) as T;
  } catch (error) {
    throw isTimeout(error) ? new Overdue(milliseconds) : error;
  } finally {
    slots[SLOT] = outer.job;
    bound = outer.bound;
  }
}

/** Throws when it is too late for the running job to begin something that must not be stopped half-way. */
export function refuseWhenLate(): void {
  if (bound !== undefined && performance.now() > bound.lastBegin) throw new Overdue(bound.milliseconds);
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
