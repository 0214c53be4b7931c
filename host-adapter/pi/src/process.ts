/**
 * Runs one program to its end, within limits, and says what became of it.
 *
 * No shell, no input, no terminal. Whether a program may be run is decided elsewhere; what its output means, too.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { constants as system } from "node:os";
import { delimiter, isAbsolute, join, parse } from "node:path";

/** A program that ran to its end by itself. For one that died of a signal, the code is 128 plus its number. */
export interface Exit {
  readonly code: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

/** What became of a program. Everything but `exited` and `unavailable` means that it was killed. */
export type Ending =
  | { readonly tag: "exited"; readonly val: Exit }
  | { readonly tag: "unavailable"; readonly val: string }
  | { readonly tag: "timed-out" }
  | { readonly tag: "output-limit" }
  | { readonly tag: "cancelled" };

export interface RunOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly milliseconds: number;
  /** The most that both streams may hold together. */
  readonly outputBytes: number;
}

export interface RunningProgram {
  /** Settles once, after the process has been reaped. Never rejects. */
  readonly ended: Promise<Ending>;
  /** Kills it, unless it has ended. */
  cancel(): void;
}

/**
 * Where programs run: the root of the file system, a directory that exists and that nobody works in. No relative path
 * of a program can mean a file of the person's project.
 */
const NEUTRAL_DIRECTORY = parse(process.execPath).root;

/** Finds a program in the absolute directories of `PATH`. Relative ones would mean the working directory. */
export function findProgram(name: string, environment: NodeJS.ProcessEnv): string | undefined {
  const file = process.platform === "win32" ? `${name}.exe` : name;
  // Windows has `Path`, in whatever case it was set.
  const path = Object.entries(environment).find(([key]) => key.toUpperCase() === "PATH")?.[1] ?? "";
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((directory) => join(directory, file))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Starts `file` at once. What goes wrong, even at the start, is an {@link Ending}. */
export function runProgram(file: string, args: readonly string[], options: RunOptions): RunningProgram {
  let child: ChildProcess;
  try {
    child = spawn(file, args, {
      cwd: NEUTRAL_DIRECTORY,
      env: options.environment,
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
      // A process group of its own, without the terminal: it can be killed whole and cannot ask for a password.
      detached: process.platform !== "win32",
    });
  } catch (error) {
    return { ended: Promise.resolve(unavailable(error)), cancel: () => {} };
  }

  /** Why it was killed. The first reason stays. */
  let verdict: Ending | undefined;
  // Until its pipes are closed, not only until it has exited: a descendant can keep them open for ever.
  let closed = false;
  const stop = (reason: Ending): void => {
    if (verdict !== undefined || closed) return;
    verdict = reason;
    kill(child);
  };

  const output = new Output(options.outputBytes, () => stop({ tag: "output-limit" }));
  child.stdout?.on("data", (chunk: Buffer) => output.add("stdout", chunk));
  child.stderr?.on("data", (chunk: Buffer) => output.add("stderr", chunk));
  const timer = setTimeout(() => stop({ tag: "timed-out" }), options.milliseconds).unref();

  const ended = new Promise<Ending>((resolve) => {
    child.once("error", (error) => resolve(verdict ?? unavailable(error)));
    child.once("close", (code, signal) => {
      closed = true;
      resolve(verdict ?? { tag: "exited", val: { code: exitCode(code, signal), ...output.streams() } });
    });
  }).finally(() => clearTimeout(timer));
  return { ended, cancel: () => stop({ tag: "cancelled" }) };
}

/** Both streams, counted together while they are read. */
class Output {
  readonly #chunks: { readonly stdout: Buffer[]; readonly stderr: Buffer[] } = { stdout: [], stderr: [] };
  readonly #exceeded: () => void;
  #left: number;

  constructor(limit: number, exceeded: () => void) {
    this.#left = limit;
    this.#exceeded = exceeded;
  }

  add(stream: "stdout" | "stderr", chunk: Buffer): void {
    this.#left -= chunk.length;
    if (this.#left < 0) this.#exceeded();
    else this.#chunks[stream].push(chunk);
  }

  streams(): { stdout: Uint8Array; stderr: Uint8Array } {
    return { stdout: Buffer.concat(this.#chunks.stdout), stderr: Buffer.concat(this.#chunks.stderr) };
  }
}

/** Kills the whole group, and lets go of its pipes, which a descendant that left the group could hold open. */
function kill(child: ChildProcess): void {
  try {
    if (process.platform !== "win32" && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
  } catch {
    // The group is gone already.
  }
  child.stdout?.destroy();
  child.stderr?.destroy();
}

function exitCode(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : system.signals[signal]);
}

function unavailable(error: unknown): Ending {
  return { tag: "unavailable", val: `could not start it: ${error instanceof Error ? error.message : String(error)}` };
}
