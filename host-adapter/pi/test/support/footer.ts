/**
 * What the tests about the footer watch: the lines that a running Pi has shown, without their age.
 */
import assert from "node:assert/strict";
import { FOOTER_KEY } from "../../harness/first-status.ts";
import type { PiRecord } from "../../harness/rpc.ts";
import type { Step } from "../../harness/scripted-model.ts";
import type { ScriptedSession } from "../../harness/scripted-session.ts";

/** The line of the workspace's repository as it is made, once it is known that there is no pull request. */
export const BEGIN = "acme/widget · feature/footer";

/** Waits until the line says this, if it does not yet. */
export async function shows(session: ScriptedSession, line: string | undefined): Promise<void> {
  const { records } = session.pi;
  const latest = Math.max(0, records.findLastIndex(isFooter));
  const fits = (record: PiRecord) => isFooter(record) && withoutAge(record) === line;
  await session.pi.record(`the line ${line}`, fits, latest);
}

/** Waits until the line is written once more: what had to change it would have done so. */
export async function showsStill(session: ScriptedSession, line: string): Promise<void> {
  const before = session.pi.records.length;
  const next = await session.pi.record("the next line", isFooter, before);
  assert.equal(withoutAge(next), line);
}

/**
 * The line that was shown when Pi had written so many records, and every one since, each once in a row; `undefined`
 * where it was taken away.
 */
export function linesSince({ pi }: ScriptedSession, before: number): readonly (string | undefined)[] {
  const begin = Math.max(0, pi.records.slice(0, before).findLastIndex(isFooter));
  const lines = pi.records.slice(begin).filter(isFooter).map(withoutAge);
  return lines.filter((line, index) => index === 0 || line !== lines[index - 1]);
}

/** The model runs this command with Pi's own tool. */
export function bash(command: string): Step {
  return { call: [["bash", { command }]] };
}

/** The model reads these files in one batch. */
export function read(...paths: readonly string[]): Step {
  return { call: paths.map((path) => ["read", { path }] as const) };
}

function isFooter({ method, statusKey }: PiRecord): boolean {
  return method === "setStatus" && statusKey === FOOTER_KEY;
}

/** The age is the last part, and the only one that changes by itself. */
function withoutAge({ statusText }: PiRecord): string | undefined {
  return (statusText as string | undefined)?.replace(/ · (?:\d+[dhms])+$/, "");
}
