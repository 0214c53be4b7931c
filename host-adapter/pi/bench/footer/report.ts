/**
 * What was measured of the footer, as people read it: on the terminal, and as the part of `docs/performance.md`.
 */
import { type Cells, columns, markdown, milliseconds, target } from "../report.ts";
import { median } from "../result.ts";
import type { FooterMeasurement } from "./measure.ts";

/** How often a plain poller asks, in milliseconds, and what it starts each time: one `git` and one `gh`. */
const POLL = 30_000;
const PER_POLL = 2;
/** The first line may take so many times as long as one bare `git`. */
const MOST_GITS = 2.5;
const HOUR = 3_600_000;

/** All of it for a terminal, with the target. */
export function terminalFooter(measured: FooterMeasurement): string {
  const tables = [firstLine(measured), day(measured)].map(columns).join("\n\n");
  const { git, component, processes } = measured.firstLine;
  const what = `first line, with ${processes} processes, at most ${MOST_GITS} times one git rev-parse`;
  const line = target(what, median(component) / median(git), MOST_GITS, times);
  return `\nFooter\n\n${tables}\n\n${events(measured)}\n\n${line}\n`;
}

/** The same for the documentation. */
export function markdownFooter(measured: FooterMeasurement): string {
  return `${[firstLine(measured), day(measured)].map(markdown).join("\n\n")}\n\n${events(measured)}\n`;
}

function firstLine({ firstLine: { git, threeGits, component, processes } }: FooterMeasurement): readonly Cells[] {
  const row = (what: string, values: readonly number[]): Cells => [
    what,
    milliseconds(median(values)),
    times(median(values) / median(git)),
  ];
  return [
    ["", "median", "of one `git`"],
    row("one `git rev-parse`", git),
    row("three of them at the same time", threeGits),
    row(`\`session_start\` to the first correct line, ${processes} processes`, component),
  ];
}

function day({ day: { calls, milliseconds: length, git, gh } }: FooterMeasurement): readonly Cells[] {
  const polls = Math.floor(length / POLL);
  const row = (what: string, ...counts: readonly number[]): Cells => [what, ...counts.map(counted)];
  return [
    [`${counted(calls)} tool calls in ${(length / HOUR).toFixed(1)} hours`, "`git`", "`gh`", "processes"],
    row("component", git, gh, git + gh),
    row("a poller, every 30 s", polls, polls, PER_POLL * polls),
  ];
}

function events({ eventsPerSecond }: FooterMeasurement): string {
  return `Events of tools that say nothing of a place: ${counted(Math.round(eventsPerSecond / 1_000) * 1_000)} a second.`;
}

function counted(count: number): string {
  return count.toLocaleString("en");
}

function times(factor: number): string {
  return `×${factor.toFixed(2)}`;
}
