/**
 * The other host, the command `pi-capsule` of `host-adapter/rust`, as `./just build` leaves it.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

export const PROJECT = resolve(import.meta.dirname, "../../..");
/** Where cargo builds the project. */
export const TARGET = resolve(PROJECT, process.env.CARGO_TARGET_DIR ?? "target");
/** The command itself. */
export const COMMAND = join(TARGET, "release", process.platform === "win32" ? "pi-capsule.exe" : "pi-capsule");

/** Runs the command and gives what it printed. */
export function otherHost(...args: readonly string[]): string {
  if (!existsSync(COMMAND)) throw new Error(`${COMMAND} is missing: ./just build makes it`);
  return execFileSync(COMMAND, args, { encoding: "utf8" });
}
