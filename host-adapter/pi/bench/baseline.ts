/**
 * What an extension without a cache does at each event: it asks Pi for the branch and reads it from the root.
 *
 * The answers are those of the component's tools, for the arguments that the benchmark uses. Written to be read, and
 * not slowed down: texts are made only where they are needed.
 */
import type { SessionEntry, SessionManager } from "@earendil-works/pi-coding-agent";
import { type Note, notesOf } from "./notes.ts";
import { type Item, itemsOf, windowsOf } from "./projection.ts";

/** How full the context is, as Pi tells extensions. */
export interface Usage {
  readonly tokens: number | null;
  readonly contextWindow: number;
}

/** What a request to the model needs to be told first. */
export interface ContextDecision {
  readonly windowId: string;
  readonly boot: boolean;
  readonly guidance: boolean;
  readonly warning: boolean;
}

/** The most text of one answer, in bytes of UTF-8. */
const WIRE_BYTES = 32 * 1024;
const ITEMS = 20;
const FILES = 50;
const ITEM_CHARS = 1200;
/** Pi's reserve by default, and the two lines above it. */
const RESERVE = 16_384;
const REMINDER = RESERVE + 24_576;
const WARNING = RESERVE + 8_192;

export class Baseline {
  readonly #manager: SessionManager;
  readonly #usage: () => Usage;

  constructor(manager: SessionManager, usage: () => Usage) {
    this.#manager = manager;
    this.#usage = usage;
  }

  /** Before each request to the model: which messages the active window lacks. */
  contextRequested(): ContextDecision {
    const branch = this.#manager.getBranch();
    const windows = windowsOf(this.#manager.getSessionId(), branch);
    const { id, start } = windows.at(-1) as (typeof windows)[number];
    const active = branch.slice(start);
    const has = (name: string) => active.some((entry) => customType(entry) === `pi-context/${name}`);
    const remaining = remainingTokens(active, this.#usage());
    return {
      windowId: id,
      boot: windows.length === 1 && !has("boot"),
      guidance: remaining <= REMINDER && remaining > WARNING && !has("guidance"),
      warning: remaining <= WARNING && !has("warning"),
    };
  }

  /** `history_list_items` without arguments. */
  listItems(): string {
    const rows = page(this.#newestItems(), (item) => row(item));
    return JSON.stringify(rows);
  }

  /** `history_search_contents` for one text. */
  searchItems(query: string): string {
    const rows = page(this.#newestItems(), (item) => {
      const text = item.text();
      const at = text.indexOf(query);
      return at < 0 ? undefined : row(item, { match_offset_chars: codePoints(text.slice(0, at)) });
    });
    return JSON.stringify(rows);
  }

  /** `notes_list_files` without arguments. */
  listNotes(): string {
    const notes = [...notesOf(this.#manager.getBranch()).values()];
    notes.sort((left, right) => right.updatedAt - left.updatedAt || (left.path < right.path ? 1 : -1));
    const files = notes.slice(0, FILES).map(file);
    return JSON.stringify({ files, next_cursor: notes.length > FILES ? FILES : null });
  }

  #newestItems(): Item[] {
    return itemsOf(this.#manager.getSessionId(), this.#manager.getBranch()).reverse();
  }
}

/** What is left of the window. Nothing can be said before the model has answered in it. */
function remainingTokens(active: readonly SessionEntry[], { tokens, contextWindow }: Usage): number {
  const answered = active.some((entry) => entry.type === "message" && entry.message.role === "assistant");
  return tokens === null || !answered ? Number.POSITIVE_INFINITY : contextWindow - tokens;
}

function customType(entry: SessionEntry): string | undefined {
  return entry.type === "custom_message" ? entry.customType : undefined;
}

/** Rows until there are enough, or the answer is large enough. */
function page(items: readonly Item[], rowOf: (item: Item) => object | undefined): object {
  const rows: object[] = [];
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    const next = rowOf(item);
    if (next === undefined) continue;
    bytes += Buffer.byteLength(JSON.stringify(next)) + 1;
    if (rows.length === ITEMS || bytes > WIRE_BYTES - 64) return { items: rows, next_cursor: index };
    rows.push(next);
  }
  return { items: rows, next_cursor: null };
}

function row(item: Item, more: object = {}): object {
  const text = item.text();
  const content = prefix(text, ITEM_CHARS);
  return {
    window_id: item.windowId,
    item_id: item.itemId,
    role: item.role,
    ...(item.toolName === undefined ? {} : { tool_name: item.toolName }),
    ...(item.toolError ? { tool_error: true } : {}),
    ...(item.outputTruncated ? { output_truncated: true } : {}),
    ...(item.fullOutputPath === undefined ? {} : { full_output_path: item.fullOutputPath }),
    truncated: content.length < text.length,
    total_chars: codePoints(text),
    truncated_content: content,
    ...more,
  };
}

function file({ path, bytes, stale, createdAt, updatedAt }: Note): object {
  return { path, size_bytes: bytes, stale, created_at: iso(createdAt), updated_at: iso(updatedAt) };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

function codePoints(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    // The second half of a pair is not counted. There are no lone halves.
    if ((text.charCodeAt(index) & 0xfc00) !== 0xdc00) count += 1;
  }
  return count;
}

/** The first code points of a text. */
function prefix(text: string, most: number): string {
  let end = 0;
  for (let count = 0; count < most && end < text.length; count += 1)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}
