/**
 * What is measured of the footer: how soon its line is right, what an event costs that says nothing, and how many
 * processes a day takes.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type DayEvent, recordedDay } from "./day.ts";
import { type FooterHost, footerHost } from "./host.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** Milliseconds, and counts. */
export interface FooterMeasurement {
  readonly firstLine: {
    /** `git rev-parse --show-toplevel`, started by Node. */
    readonly git: readonly number[];
    /** Three of them at the same time: what Node needs for as many processes as the component starts. */
    readonly threeGits: readonly number[];
    /** From `session_start` until the line names repository and branch. */
    readonly component: readonly number[];
    /** The processes that had been started by then. */
    readonly processes: number;
  };
  /** Events of tools in a second. */
  readonly eventsPerSecond: number;
  readonly day: {
    readonly calls: number;
    readonly milliseconds: number;
    readonly git: number;
    readonly gh: number;
  };
}

/** Where all this takes place: a repository on GitHub, on the branch `feature/footer`, and another worktree of it. */
export interface Place {
  readonly repository: string;
  readonly second: string;
}

const SESSIONS = 20;
/** The first ones are left out: a person's Node has started processes before. */
const WARM_UP = 3;
const EVENTS = 50_000;
const RIGHT = /^acme\/widget · feature\/footer · /;

export async function measureFooter({ repository, second }: Place): Promise<FooterMeasurement> {
  return {
    firstLine: await measureFirstLine(repository),
    eventsPerSecond: await measureEvents(repository),
    day: await measureDay(repository, recordedDay(repository, second)),
  };
}

/** In turns, so that a machine that gets busier does so for both. */
async function measureFirstLine(repository: string): Promise<FooterMeasurement["firstLine"]> {
  const bare = () => promisify(execFile)("git", ["-C", repository, "rev-parse", "--show-toplevel"]);
  const sessions: { git: number; threeGits: number; milliseconds: number; processes: number }[] = [];
  for (let session = 0; session < WARM_UP + SESSIONS; session += 1) {
    const git = await timed(bare);
    const threeGits = await timed(() => Promise.all([bare(), bare(), bare()]));
    sessions.push({ git, threeGits, ...(await firstLine(repository)) });
  }
  sessions.splice(0, WARM_UP);
  return {
    git: sessions.map(({ git }) => git),
    threeGits: sessions.map(({ threeGits }) => threeGits),
    component: sessions.map(({ milliseconds }) => milliseconds),
    processes: Math.max(...sessions.map(({ processes }) => processes)),
  };
}

async function firstLine(cwd: string): Promise<{ milliseconds: number; processes: number }> {
  const counted = new ProcessCount();
  const { promise, resolve } = Promise.withResolvers<number>();
  const onLine = (line: string | undefined): void => {
    if (RIGHT.test(line ?? "")) resolve(counted.git);
  };
  const host = await footerHost({ cwd, onLine, adapt: counted.adapt });
  let processes = 0;
  const milliseconds = await timed(async () => {
    await host.emit("session_start", { reason: "startup" });
    processes = await promise;
  });
  await end(host);
  return { milliseconds, processes };
}

/** Calls that say nothing of a place, and their ends. */
async function measureEvents(cwd: string): Promise<number> {
  const host = await footerHost({ cwd });
  await host.emit("session_start", { reason: "startup" });
  await host.capsule.settled();
  const input = { command: "npm test -- --reporter=dot 2>&1 | tail -40" };
  const pair = async (toolCallId: string): Promise<void> => {
    await host.emit("tool_call", { toolCallId, toolName: "bash", input });
    await host.emit("tool_execution_end", { toolCallId, isError: false });
  };
  for (let count = 0; count < EVENTS / 10; count += 2) await pair(`warm-${count}`);
  const milliseconds = await timed(async () => {
    for (let count = 0; count < EVENTS; count += 2) await pair(`call-${count}`);
  });
  await end(host);
  return (EVENTS / milliseconds) * 1_000;
}

/** The day in virtual time, in which processes take none. */
async function measureDay(cwd: string, events: readonly DayEvent[]): Promise<FooterMeasurement["day"]> {
  const clock = new VirtualClock();
  const counted = new ProcessCount();
  const host = await footerHost({
    cwd,
    adapt: (imports) => ({ ...counted.adapt(imports), "pi:extension/clock@0.1.0": clock.imports }),
  });
  const settle = () => host.capsule.settled();
  const fire = async (id: number): Promise<void> => {
    await host.capsule.call("completions.timer-fired", (guest) => guest.completions.timerFired(id));
    await settle();
  };
  await host.emit("session_start", { reason: "startup" });
  await settle();
  for (const { at, name, members } of events) {
    await clock.advance(at, fire);
    await host.emit(name, members);
    await settle();
  }
  await end(host);
  const calls = events.filter(({ name }) => name === "tool_call").length;
  return { calls, milliseconds: events.at(-1)?.at ?? 0, git: counted.git, gh: counted.gh };
}

async function end(host: FooterHost): Promise<void> {
  await host.emit("session_shutdown", { reason: "quit" });
  await host.capsule.settled();
}

/** The processes that a component starts. */
class ProcessCount {
  git = 0;
  gh = 0;

  readonly adapt: NonNullable<Parameters<typeof footerHost>[0]["adapt"]> = (imports) => {
    const subprocess = imports["pi:extension/subprocess@0.1.0"];
    const start: typeof subprocess.start = (command) => {
      this[command.program] += 1;
      return subprocess.start(command);
    };
    return { ...imports, "pi:extension/subprocess@0.1.0": { ...subprocess, start } };
  };
}

async function timed(call: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await call();
  return performance.now() - begin;
}
