/**
 * What the imports use of the machine that Pi runs on, apart from Pi: clocks, chance, programs, and settings files.
 *
 * The only place where a test puts something else than the real thing under the imports.
 */
import { SettingsManager } from "@earendil-works/pi-coding-agent";
import type { Scope } from "../component/types/interfaces/pi-extension-settings.js";
import { randomBits, utcOffset } from "./platform.ts";
import { findProgram, type RunningProgram, type RunOptions, runProgram } from "./process.ts";

export interface Machine {
  /** The wall clock, in milliseconds since 1970. */
  now(): number;

  /** Milliseconds since some moment; never fewer than before. */
  monotonicNow(): number;

  /** The offset of local time at a moment of the wall clock, in minutes east of Greenwich. */
  utcOffset(at: bigint): number;

  /** Calls `expire` once, about then; it may be a little early. Returns how to give it up. Keeps no process alive. */
  wait(milliseconds: number, expire: () => void): () => void;

  /** 32 random bits. */
  randomBits(): number;

  /** Starts a program that is found in `PATH`, if there is one. */
  run(program: string, args: readonly string[], options: RunOptions): RunningProgram | undefined;

  /**
   * The settings of one scope as they stand in its file; those of a project that is not trusted are empty. Throws when
   * they cannot be read.
   */
  settings(scope: Scope, cwd: string, projectTrusted: boolean): Readonly<Record<string, unknown>>;
}

/** This machine. */
export const THIS_MACHINE: Machine = {
  now: () => Date.now(),
  monotonicNow: () => performance.now(),

  utcOffset,

  wait: (milliseconds, expire) => {
    const timer = setTimeout(expire, milliseconds).unref();
    return () => clearTimeout(timer);
  },

  randomBits,

  run: (program, args, options) => {
    const file = findProgram(program, options.environment);
    return file === undefined ? undefined : runProgram(file, args, options);
  },

  // Pi's own reader, so that old names mean what they mean to Pi.
  settings: (scope, cwd, projectTrusted) => {
    const manager = SettingsManager.create(cwd, undefined, { projectTrusted });
    const failure = manager.drainErrors().find((error) => error.scope === scope);
    if (failure !== undefined) {
      const file = failure.path === undefined ? "" : `${failure.path}: `;
      throw new Error(`${file}${failure.error.message}`);
    }
    return { ...(scope === "global" ? manager.getGlobalSettings() : manager.getProjectSettings()) };
  },
};
