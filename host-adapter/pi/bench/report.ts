/**
 * Results as people read them: on the terminal, and as the table in `docs/performance.md`.
 */
import { cpus, platform, totalmem } from "node:os";
import { type Result, SUBJECTS, type SubjectName, type Summary } from "./result.ts";

const HEADINGS: Readonly<Record<SubjectName, string>> = {
  component: "in Node",
  wasmtime: "in wasmtime",
  typescript: "TypeScript",
};

/** What is shown, in this order. */
const ROWS: readonly (readonly [keyof Summary, string])[] = [
  ["contextHook", "context hook, one new entry"],
  ["listItems", "`history_list_items`, one new entry"],
  ["listNotes", "`notes_list_files`, one new note"],
  ["searchRare", "search, word near the oldest end"],
  ["searchAbsent", "search, absent word"],
  ["start", "session start"],
  ["firstNotes", "first `notes_list_files`"],
  ["firstSearch", "first search, reads all text"],
  ["coldLoad", "cold load: start and first search"],
  ["processBytes", "memory, growth of the process"],
  ["wasmBytes", "memory, WebAssembly"],
];

/** The size that the targets speak of. */
const LARGE = 100_000;
const SMALL = 1_000;
/** A cost per event is called flat when it grows by no more than this while the branch grows a hundredfold. */
const FLAT = 2;
const COLD_LOAD = 1200;

/** A row of a table. */
export type Cells = readonly string[];

export function markdownTable(results: readonly Result[]): string {
  return results.map((result) => `${titleOf(result)}\n\n${markdown(tableOf(result))}\n`).join("\n");
}

export function terminalTable(results: readonly Result[]): string {
  return results.map((result) => `\n${titleOf(result)}\n\n${columns(tableOf(result))}\n`).join("");
}

/** A table, the first row being its heading. */
export function markdown(rows: readonly Cells[]): string {
  const [heading = [], ...body] = rows;
  const rule = heading.map((_, column) => (column === 0 ? "---" : "---:"));
  return [heading, rule, ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** The same for a terminal. */
export function columns(table: readonly Cells[]): string {
  const rows = table.map((cells) => cells.map((cell) => cell.replaceAll("`", "")));
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0))) ?? [];
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((cells) => cells.map(pad).join("  ")).join("\n");
}

/** Each target, with what was measured. Empty when the sizes that they speak of were not measured. */
export function targets(results: readonly Result[]): string {
  const at = (entries: number) => results.find((result) => result.entries === entries)?.subjects;
  const [large, small] = [at(LARGE), at(SMALL)];
  const { component, typescript } = large ?? {};
  if (component === undefined || typescript === undefined) return "";
  const share = (name: keyof Summary) => Number(component[name]) / Number(typescript[name]);
  const lines = [
    target("context hook, at most a tenth of TypeScript", share("contextHook"), 0.1, percent),
    target("history_list_items, at most a tenth of TypeScript", share("listItems"), 0.1, percent),
    target("warm search, at most half of TypeScript", share("searchRare"), 0.5, percent),
    target("warm search, absent word, at most half of TypeScript", share("searchAbsent"), 0.5, percent),
    target("cold load in Node, at most 1.2 s", component.coldLoad, COLD_LOAD, milliseconds),
  ];
  if (small?.component !== undefined) {
    const growth = component.contextHook / small.component.contextHook;
    lines.push(
      target(`context hook flat from ${SMALL} to ${LARGE} entries`, growth, FLAT, (value) => `×${value.toFixed(2)}`),
    );
  }
  return `Targets, at ${LARGE} entries\n\n${lines.join("\n")}\n`;
}

/** Whether a value is within a target. */
export function target(what: string, value: number, most: number, show: (value: number) => string): string {
  return `${value <= most ? "met   " : "MISSED"}  ${what}: ${show(value)}`;
}

/** What a table was measured on. */
export function machine(): string {
  const processors = cpus();
  const hardware = `${processors.length} × ${processors[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${hardware}, ${platform()}, Node.js ${process.versions.node}`;
}

function titleOf({ entries, bytes }: Result): string {
  return `${entries.toLocaleString("en")} entries, a session file of ${megabytes(bytes)}`;
}

function tableOf({ subjects }: Result): readonly Cells[] {
  const names = SUBJECTS.filter((name) => subjects[name] !== undefined);
  const heading = ["", ...names.map((name) => HEADINGS[name]), "Node : TypeScript"];
  const body = ROWS.map(([row, title]) => {
    const ratio = row.endsWith("Bytes") ? "" : ratioOf(subjects.component?.[row], subjects.typescript?.[row]);
    return [title, ...names.map((name) => cell(row, subjects[name]?.[row])), ratio];
  });
  return [heading, ...body];
}

function cell(row: keyof Summary, value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  return row.endsWith("Bytes") ? megabytes(value) : milliseconds(value);
}

/** How the component does against the projection; nothing of what the projection does not do at all. */
function ratioOf(component: number | null | undefined, typescript: number | null | undefined): string {
  return component && typescript ? percent(component / typescript) : "";
}

export function milliseconds(value: number): string {
  return value < 1 ? `${(value * 1000).toFixed(value < 0.1 ? 1 : 0)} µs` : `${value.toFixed(value < 100 ? 1 : 0)} ms`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 10e6 ? 1 : 0)} MB`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}
