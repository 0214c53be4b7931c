/**
 * Windows and history items of a branch, read from Pi's entries in plain TypeScript. Notes are in `notes.ts`.
 *
 * Each function scans the branch it is given from its root and keeps nothing, as an extension without a cache does. It
 * is what the component is measured against, and a second reading of the same rules: nothing here comes from the
 * guest. What tools answer with is made in `baseline.ts`.
 */
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { jsonText } from "../src/text.ts";

/** A stretch of the branch that the model saw as one context: its entries are those from `start` to before `end`. */
export interface Window {
  readonly id: string;
  readonly start: number;
  readonly end: number;
}

export type Role = "user" | "assistant" | "tool_call" | "tool" | "system" | "developer";

/** Something in a window that a history tool can show. */
export interface Item {
  readonly windowId: string;
  /** The entry's id; of a tool call `<entry id>#<index>`. */
  readonly itemId: string;
  readonly role: Role;
  readonly toolName?: string;
  readonly toolError?: true;
  readonly outputTruncated?: true;
  readonly fullOutputPath?: string;
  /** Its content. Made when asked for: most calls need that of a few items. */
  text(): string;
}

type Message = Extract<SessionEntry, { type: "message" }>["message"];
type Replacement = Extract<SessionEntry, { type: "context_edit" }>["replacement"];

/** A part of a message's content. */
type Part = Readonly<Record<string, unknown>> | null | undefined;

/** The windows of a branch, oldest first. There is always the root window. */
export function windowsOf(sessionId: string, branch: readonly SessionEntry[]): Window[] {
  const starts = [{ id: `pcw:${[...sessionId].slice(0, 8).join("")}:root`, start: 0 }];
  const taken = new Set(starts.map(({ id }) => id));
  for (const [position, entry] of branch.entries()) {
    const named = boundary(entry);
    // A marker and its compaction are one reset.
    if (named === undefined || named === starts.at(-1)?.id) continue;
    // A name is given once, so that each window can be looked up.
    const id = named === "" || taken.has(named) ? entry.id : named;
    taken.add(id);
    starts.push({ id, start: position });
  }
  return starts.map(({ id, start }, index) => ({ id, start, end: starts[index + 1]?.start ?? branch.length }));
}

/** The name of the window that an entry starts, empty if it gives none; `undefined` if it starts no window. */
function boundary(entry: SessionEntry): string | undefined {
  if (entry.type === "compaction") {
    const details = entry.details as { piContext?: unknown } | null | undefined;
    return details?.piContext === "reset-v2" ? windowName(details) : "";
  }
  if (entry.type !== "custom" || entry.customType !== "pi-context/reset-marker") return undefined;
  return windowName(entry.data) || undefined;
}

function windowName(holder: unknown): string {
  const name = (holder as { windowId?: unknown } | null | undefined)?.windowId;
  return typeof name === "string" ? name.toWellFormed() : "";
}

/** The items of a branch, in its order. */
export function itemsOf(sessionId: string, branch: readonly SessionEntry[]): Item[] {
  const edits = latestEdits(branch);
  const items: Item[] = [];
  for (const { id, start, end } of windowsOf(sessionId, branch)) {
    for (let position = start; position < end; position += 1) {
      const entry = branch[position] as SessionEntry;
      const edit = edits.get(entry.id);
      const shown = edit !== undefined && edit.position > position ? edited(entry, edit.replacement) : entry;
      if (shown !== undefined) addItems(items, id, shown);
    }
  }
  return items;
}

/** By target, the edit that counts: the last one on the branch. */
function latestEdits(branch: readonly SessionEntry[]): Map<string, { position: number; replacement: Replacement }> {
  const edits = new Map<string, { position: number; replacement: Replacement }>();
  for (const [position, entry] of branch.entries()) {
    if (entry.type === "context_edit") edits.set(entry.targetId, { position, replacement: entry.replacement });
  }
  return edits;
}

/** An entry with the content that an edit puts in place; `undefined` if it takes it out. Pi edits messages only. */
function edited(entry: SessionEntry, replacement: Replacement): SessionEntry | undefined {
  if (entry.type === "custom_message") {
    return replacement ? { ...entry, content: replacement.content as typeof entry.content } : undefined;
  }
  if (entry.type !== "message" || entry.message?.role === "bashExecution") return entry;
  if (!replacement) return undefined;
  return { ...entry, message: { ...entry.message, content: replacement.content } as Message };
}

function addItems(items: Item[], windowId: string, entry: SessionEntry): void {
  const itemId = entry.id;
  switch (entry.type) {
    case "message":
      addMessage(items, windowId, itemId, entry.message);
      break;
    case "compaction":
    case "branch_summary":
      items.push({ windowId, itemId, role: "system", text: () => string(entry.summary).toWellFormed() });
      break;
    case "custom_message":
      addText(items, windowId, itemId, customRole(entry.customType), entry.content);
      break;
  }
}

function addMessage(items: Item[], windowId: string, itemId: string, message: Message): void {
  switch (message?.role) {
    case "user":
      addText(items, windowId, itemId, "user", message.content);
      break;
    case "assistant":
      addText(items, windowId, itemId, "assistant", message.content);
      addCalls(items, windowId, itemId, message.content);
      break;
    case "toolResult": {
      const { toolName, isError, content } = message;
      const failed = isError === true ? { toolError: true as const } : {};
      items.push({
        windowId,
        itemId,
        role: "tool",
        toolName: string(toolName),
        ...failed,
        text: () => joined(content),
      });
      break;
    }
    case "bashExecution": {
      const { command, output, truncated, fullOutputPath } = message;
      // The person kept it from the model.
      if (message.excludeFromContext === true) break;
      const path = string(fullOutputPath);
      const cut = { outputTruncated: true as const, ...(path === "" ? {} : { fullOutputPath: path }) };
      const text = () =>
        [command, output]
          .filter((part) => typeof part === "string")
          .join("\n")
          .toWellFormed();
      items.push({ windowId, itemId, role: "tool", toolName: "bash", ...(truncated === true ? cut : {}), text });
      break;
    }
    case "custom":
      addText(items, windowId, itemId, customRole(message.customType), message.content);
      break;
  }
}

function customRole(customType: string): Role {
  return string(customType).startsWith("pi-context/") ? "developer" : "user";
}

/** One item, if there is text. */
function addText(items: Item[], windowId: string, itemId: string, role: Role, content: unknown): void {
  if (hasText(content)) items.push({ windowId, itemId, role, text: () => joined(content) });
}

function addCalls(items: Item[], windowId: string, entryId: string, content: unknown): void {
  let index = 0;
  for (const part of partsOf(content)) {
    if (part?.type !== "toolCall") continue;
    const text = () => jsonText(part.arguments) ?? "null";
    items.push({ windowId, itemId: `${entryId}#${index}`, role: "tool_call", toolName: string(part.name), text });
    index += 1;
  }
}

function joined(content: unknown): string {
  return texts(content).join("\n").toWellFormed();
}

function hasText(content: unknown): boolean {
  return typeof content === "string" ? content !== "" : partsOf(content).some((part) => textOf(part));
}

function texts(content: unknown): string[] {
  if (typeof content === "string") return [content];
  return partsOf(content).flatMap((part) => textOf(part) ?? []);
}

/** The text of a text part. */
function textOf(part: Part): string | undefined {
  return part?.type === "text" && typeof part.text === "string" ? part.text : undefined;
}

/** A file can hold anything in place of a string. */
function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A file can hold anything in place of parts. */
function partsOf(content: unknown): readonly Part[] {
  return Array.isArray(content) ? content : [];
}
