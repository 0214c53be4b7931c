/**
 * Measures one subject in this process and prints the measurement as JSON. `main.ts` starts it.
 *
 *     node --expose-gc bench/subject.ts component|typescript SESSION.jsonl
 */
import { readFileSync } from "node:fs";
import { parseSessionEntries, SessionManager } from "@earendil-works/pi-coding-agent";
import { Baseline, type Usage } from "./baseline.ts";
import { componentSubject } from "./component-subject.ts";
import { type Growth, measure, type Subject } from "./measure.ts";

/** Between the reminder and the warning, where most has to be looked at. */
const USAGE: Usage & { readonly percent: number } = { tokens: 165_000, contextWindow: 200_000, percent: 82.5 };

const [kind, file = ""] = process.argv.slice(2);
// In memory, as Pi has it. Through a file Pi would write each new entry to the disk.
const manager = SessionManager.inMemory("/work/widget", undefined, parseSessionEntries(readFileSync(file, "utf8")));
const subject = kind === "component" ? await componentSubject(manager, () => USAGE) : baselineSubject();
console.log(JSON.stringify(await measure(subject, growthOf(manager))));
// The component's timers wait for minutes.
process.exit();

function baselineSubject(): Subject {
  const baseline = new Baseline(manager, () => USAGE);
  return {
    contextRequested: async () => void baseline.contextRequested(),
    listItems: async () => baseline.listItems(),
    searchItems: async (query) => baseline.searchItems(query),
    listNotes: async () => baseline.listNotes(),
    wasmBytes: () => null,
  };
}

function growthOf(session: SessionManager): Growth {
  const content = [{ type: "text" as const, text: "The next step." }];
  const usage = {
    input: 1,
    output: 1,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 2,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  const origin = { api: "scripted", provider: "scripted", model: "scripted-1" };
  const note = { op: "append", path: "plan/step-1.md", text: "One more line.\n", createdAt: 0, updatedAt: 0 };
  return {
    answer: () =>
      session.appendMessage({ role: "assistant", content, ...origin, usage, stopReason: "stop", timestamp: 0 }),
    note: () => session.appendCustomEntry("pi-context/note", note),
  };
}
