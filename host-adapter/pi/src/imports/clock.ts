/**
 * `clock`: the time, and timers. May be used without a session.
 */
import type * as Clock from "../../component/types/interfaces/pi-extension-clock.js";
import type { Host } from "../host.ts";

/** The longest delay that `setTimeout` can hold; it takes a longer one for none. */
const LONGEST_WAIT = 2 ** 31 - 1;

export function clock(host: Host): typeof Clock {
  const timers = new Map<number, () => void>();
  let lastId = 0;

  /** Waits until `due`, in as many steps as it takes: Node may be a little early. */
  const wait = (id: number, due: number): void => {
    const left = Math.max(0, Math.ceil(due - performance.now()));
    const timer = setTimeout(() => expire(id, due), Math.min(left, LONGEST_WAIT)).unref();
    const release = host.own(() => {
      clearTimeout(timer);
      timers.delete(id);
    });
    timers.set(id, () => {
      clearTimeout(timer);
      release();
    });
  };

  const expire = (id: number, due: number): void => {
    withdraw(id);
    if (performance.now() < due) wait(id, due);
    else host.deliver("completions.timer-fired", (guest) => guest.completions.timerFired(id));
  };

  const withdraw = (id: number): void => {
    timers.get(id)?.();
    timers.delete(id);
  };

  return {
    now: () => BigInt(Date.now()),
    monotonicNow: () => BigInt(Math.floor(performance.now())),
    utcOffset,
    startTimer: (delay) => {
      host.request();
      lastId += 1;
      wait(lastId, performance.now() + delay);
      return lastId;
    },
    cancelTimer: withdraw,
  };
}

/** The offset of local time at a moment, in minutes east of Greenwich. */
export function utcOffset(at: Clock.Timestamp): number {
  const west = new Date(Number(at)).getTimezoneOffset();
  // No number for a time that no calendar holds, and a fraction before there were time zones.
  return Math.round(-west) || 0;
}
