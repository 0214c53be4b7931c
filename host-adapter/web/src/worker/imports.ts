/**
 * What the component imports, in a browser: a session that was read from a file, clocks and random bits.
 *
 * There are no programs, no agent and no settings, and nothing is written. What is the same in every host in JavaScript
 * comes from the Pi adapter.
 */

import type { Extension as Guest, ImportObject } from "../../../pi/component/types/extension.js";
import { ImportFailure } from "../../../pi/src/imports/failure.ts";
import { changesSince, readBodies } from "../../../pi/src/pages.ts";
import { randomBits, utcOffset } from "../../../pi/src/platform.ts";
import { type Refusal, refuseCustomType, refuseSettingsSection, refuseStatusKey } from "../../../pi/src/policy.ts";
import { plainLines } from "../../../pi/src/text.ts";
import policy from "../../../policy.json" with { type: "json" };
import type { SessionFile } from "./session-file/session-file.ts";

export type Level = "info" | "warning" | "error";

/** What the imports may do besides telling the guest something. */
export interface Host {
  readonly session: SessionFile;
  /** Shows a notice to the person. */
  notify(level: Level, message: string): void;
  /** Calls an export, once so many milliseconds have passed and nothing else runs. Returns how to give it up. */
  later(milliseconds: number, call: (guest: Guest) => void): () => void;
}

/** Whether the guest may see the data of custom entries of this type. */
export function mayReadData(customType: string): boolean {
  return refuseCustomType(policy, customType) === undefined;
}

export function importsFor(host: Host): ImportObject {
  const unavailable = (): never => {
    throw new ImportFailure({ tag: "unavailable", val: "this host has no running agent" });
  };
  const timers = new Map<number, () => void>();
  let lastId = 0;

  return {
    "pi:extension/session-reader@0.1.0": {
      session: () => host.session.info,
      changesSince: (cursor) => changesSince(host.session, cursor),
      readBodies: (ids) => readBodies(host.session, ids),
    },
    "pi:extension/session-writer@0.1.0": {
      append: (customType) => {
        deny(refuseCustomType(policy, customType));
        throw new ImportFailure({ tag: "failed", val: "this host only reads" });
      },
    },
    "pi:extension/settings@0.1.0": {
      section: (_scope, name) => {
        deny(refuseSettingsSection(policy, name));
        return undefined;
      },
      // What Pi does without any settings.
      compaction: () => ({ enabled: true, reserveTokens: 16_384n, keepRecentTokens: 20_000n }),
    },
    "pi:extension/status@0.1.0": {
      // The line tells of a repository that is not here.
      setStatus: (key) => deny(refuseStatusKey(policy, key)),
      notify: (level, message) => host.notify(level, plainLines(message)),
    },
    "pi:extension/agent@0.1.0": {
      usage: () => undefined,
      isIdle: () => true,
      hasPendingMessages: () => false,
      isAborted: () => false,
      sendMessage: unavailable,
      compact: unavailable,
    },
    "pi:extension/subprocess@0.1.0": {
      start: () => {
        lastId += 1;
        const id = lastId;
        const outcome = { tag: "unavailable", val: "this host runs no programs" } as const;
        host.later(0, (guest) => guest.completions.subprocessFinished(id, outcome));
        return id;
      },
      cancel: () => {},
    },
    "pi:extension/clock@0.1.0": {
      now: () => BigInt(Date.now()),
      monotonicNow: () => BigInt(Math.floor(performance.now())),
      utcOffset,
      startTimer: (delay) => {
        lastId += 1;
        const id = lastId;
        const withdraw = host.later(delay, (guest) => {
          timers.delete(id);
          guest.completions.timerFired(id);
        });
        timers.set(id, withdraw);
        return id;
      },
      cancelTimer: (id) => {
        timers.get(id)?.();
        timers.delete(id);
      },
    },
    "pi:extension/random@0.1.0": { bits: randomBits },
  };
}

/** Answers `denied` if there is a refusal. */
function deny(refusal: Refusal): void {
  if (refusal !== undefined) throw new ImportFailure({ tag: "denied", val: refusal });
}
