/**
 * A day of work as Pi would report it: some two thousand tool calls with their times, the same on every machine.
 *
 * The mix is that of long working sessions: runs of a few dozen calls with a pause after each, most of them in one
 * worktree, some in a second one. The model reads and edits files, searches, runs tests and looks at what git says; a
 * few times a day it switches a branch or changes a pull request. No call is really run. The directories have to be
 * there.
 */
import { join } from "node:path";
import { Dice } from "../dice.ts";

/** One event, at so many milliseconds from the beginning of the session. */
export interface DayEvent {
  readonly at: number;
  readonly name: "tool_call" | "tool_execution_end" | "agent_settled";
  readonly members: object;
}

/** The directories of both worktrees that files are in. */
export const DIRECTORIES = ["src", "src/api", "src/store", "src/ui", "tests", "tests/api", "docs"] as const;

const CALLS = 2_000;
const SEED = 20_260_105;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** One run in so many works in the second worktree. */
const AWAY = 5;

type Input = Readonly<Record<string, unknown>>;

/** The day of a session that works in these two worktrees. */
export function recordedDay(main: string, second: string): readonly DayEvent[] {
  const dice = new Dice(SEED);
  const events: DayEvent[] = [];
  let at = 10 * SECOND;
  for (let made = 0; made < CALLS; ) {
    const root = dice.oneIn(AWAY) ? second : main;
    for (let left = Math.min(dice.between(8, 45), CALLS - made); left > 0; left -= 1) {
      made += 1;
      const id = `call-${made}`;
      const [toolName, input, least, most] = callIn(root, root === second, dice);
      events.push({ at, name: "tool_call", members: { toolCallId: id, toolName, input } });
      at += dice.between(least, most);
      events.push({ at, name: "tool_execution_end", members: { toolCallId: id, toolName, isError: dice.oneIn(12) } });
      // What the model takes to answer.
      at += dice.between(2 * SECOND, 14 * SECOND);
    }
    events.push({ at, name: "agent_settled", members: { aborted: false } });
    at += dice.between(20 * SECOND, 6 * MINUTE);
  }
  return events;
}

/** A call, and how many milliseconds it takes at least and at most. */
function callIn(root: string, isAway: boolean, dice: Dice): [tool: string, input: Input, least: number, most: number] {
  const file = join(root, dice.pick(DIRECTORIES), `${dice.pick(["index", "model", "view", "errors"])}.ts`);
  const kind = dice.between(1, 200);
  if (kind <= 70) return ["read", { path: file }, 5, 40];
  if (kind <= 105) return ["edit", { path: file, edits: [{ oldText: "a", newText: "b" }] }, 5, 40];
  if (kind <= 112) return ["write", { path: file, content: "export {};\n" }, 5, 40];
  if (kind <= 124) return ["grep", { path: join(root, "src"), pattern: "export" }, 30, 400];
  if (kind <= 127) return ["ls", { path: root }, 5, 20];
  if (kind === 128) return ["bash", { command: inPlace("git switch feature/footer", root, isAway) }, 30, 200];
  if (kind === 129) return ["bash", { command: inPlace("gh pr edit --title Footer", root, isAway) }, 800, 3_000];
  const [command, least, most] = dice.pick(COMMANDS);
  return ["bash", { command: inPlace(command, root, isAway) }, least, most];
}

/** Models go to another directory first, and stay out of that where they are already. */
function inPlace(command: string, root: string, isAway: boolean): string {
  return isAway ? `cd ${root} && ${command}` : command;
}

const COMMANDS: readonly (readonly [command: string, least: number, most: number])[] = [
  ["npm test", 4 * SECOND, 40 * SECOND],
  ["npm run check 2>&1 | tail -20", 3 * SECOND, 15 * SECOND],
  ["git status --short", 20, 80],
  ["git diff --stat", 20, 80],
  ['git add -A && git commit -m "Next step"', 40, 200],
  ["git log --oneline -5", 20, 60],
  ["rg -n 'TODO|FIXME' src", 20, 100],
  ["sed -n '1,80p' src/index.ts", 5, 20],
];
