/**
 * Compares the component, in Node and under wasmtime, with a projection in TypeScript that keeps nothing; and its footer
 * with bare `git` and with a poller.
 *
 *     npm run bench -- [--entries 1000,10000] [--runs 3] [--json] [--wasmtime PROGRAM --component FILE.wasm]
 *
 * Every measurement is made by a process of its own, on the same session file. Progress goes to standard error.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Workspace } from "../harness/workspace.ts";
import { givenPath } from "../scripts/invocation.ts";
import { checkAnswers } from "./answers.ts";
import { DIRECTORIES } from "./footer/day.ts";
import type { FooterMeasurement } from "./footer/measure.ts";
import { markdownFooter, terminalFooter } from "./footer/report.ts";
import { ABSENT_WORD, RARE_WORD, writeSession } from "./generated-session.ts";
import type { Measurement } from "./measure.ts";
import { machine, markdownTable, targets, terminalTable } from "./report.ts";
import { type Result, SUBJECTS, type SubjectName, summary } from "./result.ts";

const USAGE = "usage: bench [--entries 1000,10000,100000] [--runs 3] [--json] [--wasmtime PROGRAM --component FILE]";
const OUTPUT_LIMIT = 64 * 1024 * 1024;

const options = readOptions();
warnIfBusy();
const directory = mkdtempSync(join(tmpdir(), "pi-capsule-bench-"));
try {
  const sessions = options.entries.map((entries) => measureSize(entries));
  const footer = measureFooter();
  if (process.stderr.isTTY) progress("");
  console.log(options.json ? JSON.stringify({ sessions, footer }, undefined, 2) : report(sessions, footer));
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function report(sessions: readonly Result[], footer: FooterMeasurement): string {
  const markdown = `Measured on ${machine()}.\n\n${markdownTable(sessions)}\n${markdownFooter(footer)}`;
  const results = `${terminalTable(sessions)}\n${targets(sessions)}${terminalFooter(footer)}`;
  return `${results}\nFor docs/performance.md:\n\n${markdown}`;
}

/** In a process of its own, whose `git` and `gh` reach only what is made for it. */
function measureFooter(): FooterMeasurement {
  progress("the footer: first lines, events, a day of tool calls");
  const workspace = new Workspace();
  try {
    workspace.createRepository();
    const worktrees = [workspace.repository, workspace.addWorktree("second", "topic")];
    for (const root of worktrees) {
      for (const name of DIRECTORIES) mkdirSync(join(root, name), { recursive: true });
    }
    const output = execFileSync(process.execPath, [join(import.meta.dirname, "footer/subject.ts"), ...worktrees], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      env: workspace.environment(),
    });
    return JSON.parse(output) as FooterMeasurement;
  } finally {
    workspace.remove();
  }
}

function measureSize(entries: number): Result {
  const file = join(directory, `${entries}.jsonl`);
  progress(`${entries} entries: writing the session`);
  writeSession(file, entries);
  const bytes = statSync(file).size;
  const names = SUBJECTS.filter((name) => name !== "wasmtime" || options.wasmtime !== undefined);
  // In turns, so that a machine that gets busier or hotter does so for all.
  const rounds = Array.from({ length: options.runs }, (_, round) =>
    names.map((name) => {
      progress(`${entries} entries, ${(bytes / 1e6).toFixed(0)} MB, run ${round + 1} of ${options.runs}: ${name}`);
      return runSubject(name, file);
    }),
  );
  const measured = names.map((name, index) => [name, rounds.map((round) => round[index] as Measurement)] as const);
  rmSync(file);
  checkAnswers(entries, measured);
  return { entries, bytes, subjects: Object.fromEntries(measured.map(([name, runs]) => [name, summary(runs)])) };
}

function runSubject(name: SubjectName, file: string): Measurement {
  const node = ["--expose-gc", join(import.meta.dirname, "subject.ts"), name, file];
  const { wasmtime = "", component } = options;
  const [program, args] =
    name === "wasmtime" ? [wasmtime, [component, file, RARE_WORD, ABSENT_WORD]] : [process.execPath, node];
  const output = execFileSync(program, args, {
    encoding: "utf8",
    maxBuffer: OUTPUT_LIMIT,
    stdio: ["ignore", "pipe", "inherit"],
    env: privateEnvironment(),
  });
  return JSON.parse(output) as Measurement;
}

/** No home of the person, and no programs: the component would ask git about a directory that is not there. */
function privateEnvironment(): NodeJS.ProcessEnv {
  const home = join(directory, "home");
  mkdirSync(home, { recursive: true });
  return { HOME: home, USERPROFILE: home, PI_CODING_AGENT_DIR: join(home, "agent"), PATH: home, TZ: "UTC" };
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      entries: { type: "string", default: "1000,10000,100000" },
      runs: { type: "string", default: "3" },
      wasmtime: { type: "string" },
      component: { type: "string", default: "" },
      json: { type: "boolean", default: false },
    },
  });
  const entries = values.entries.split(",").map(Number);
  const runs = Number(values.runs);
  if (![...entries, runs].every((value) => Number.isSafeInteger(value) && value > 0)) {
    console.error(`--entries and --runs take whole numbers above 0.\n${USAGE}`);
    process.exit(2);
  }
  const { wasmtime, component, json } = values;
  // Both are given together: the host, and the file that it runs.
  const host = wasmtime === undefined ? {} : { wasmtime: givenPath(wasmtime) };
  return { entries, runs, json, component: givenPath(component), ...host };
}

function warnIfBusy(): void {
  const [load = 0] = loadavg();
  if (load <= cpus().length / 2) return;
  const busy = `the load is ${load.toFixed(1)} on ${cpus().length} processors`;
  console.error(`This machine is busy (${busy}): times will be longer than they need be. Wait until it is idle.`);
}

function progress(text: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
}
