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

  /** Waits until `due`, in as many steps as it takes. */
  const wait = (id: number, due: number): void => {
    const left = Math.max(0, Math.ceil(due - host.machine.monotonicNow()));
    const stop = host.machine.wait(Math.min(left, LONGEST_WAIT), () => expire(id, due));
    const release = host.own(() => {
      stop();
      timers.delete(id);
    });
    timers.set(id, () => {
      stop();
      release();
    });
  };

  const expire = (id: number, due: number): void => {
    withdraw(id);
    if (host.machine.monotonicNow() < due) wait(id, due);
    else host.deliver("completions.timer-fired", (guest) => guest.completions.timerFired(id));
  };

  const withdraw = (id: number): void => {
    timers.get(id)?.();
    timers.delete(id);
  };

  return {
    now: () => BigInt(host.machine.now()),
    monotonicNow: () => BigInt(Math.floor(host.machine.monotonicNow())),
    utcOffset: (at) => host.machine.utcOffset(at),
    startTimer: (delay) => {
      host.request();
      lastId += 1;
      wait(lastId, host.machine.monotonicNow() + delay);
      return lastId;
    },
    cancelTimer: withdraw,
  };
}
