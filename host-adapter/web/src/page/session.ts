/**
 * A session as the page sees it: a file behind a worker, and the tools of the component, one function each.
 *
 * Nothing of the session is known here but what a tool answers; rows have the members that the tools name.
 */

import workerSource from "worker:built";
import { proxy, type Remote, releaseProxy, wrap } from "comlink";
import type { Level, Opened, Refused, SessionWorker } from "../worker/main.ts";
import { visible } from "./visible.ts";

export type { Level, Opened, Refused };

/** The most items that a page of a list may hold. */
const ITEMS_MOST = 100;

export type Role = "user" | "assistant" | "tool_call" | "tool" | "system" | "developer";

export interface WindowRow {
  readonly window_id: string;
  readonly item_count: number;
}

/** The windows, newest first. */
export interface Windows {
  readonly windows: readonly WindowRow[];
  /** How many older ones did not fit into the answer. */
  readonly omitted?: number;
}

export interface ItemRow {
  readonly window_id: string;
  readonly item_id: string;
  readonly role: Role;
  readonly tool_name?: string;
  readonly tool_error?: boolean;
  readonly output_truncated?: boolean;
  readonly full_output_path?: string;
  readonly truncated: boolean;
  readonly total_chars: number;
  readonly match_offset_chars?: number;
  readonly truncated_content: string;
}

export interface Items {
  readonly items: readonly ItemRow[];
  readonly next_cursor: number | null;
}

export interface NoteRow {
  readonly path: string;
  readonly size_bytes: number;
  readonly stale: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface NoteMatches {
  readonly path: string;
  readonly stale: boolean;
  readonly matches_total: number;
  readonly matches: readonly { readonly line: number; readonly text: string; readonly offset_chars: number }[];
}

/** A part of a text, in code points. */
export interface Slice {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly total: number;
}

/** Which part of a text is wanted. */
export interface Part {
  readonly offset_chars: number;
  readonly limit_chars?: number;
}

export interface ItemFilter {
  readonly window_id?: string;
  readonly role?: Role;
}

/** What a tool says when it cannot do what it was asked for. */
export class ToolComplaint extends Error {
  override readonly name = "ToolComplaint";
}

export class Session {
  readonly file: string;
  readonly opened: Opened;
  readonly #worker: Remote<SessionWorker>;
  readonly #end: () => void;

  private constructor(file: string, opened: Opened, worker: Remote<SessionWorker>, end: () => void) {
    this.file = file;
    this.opened = opened;
    this.#worker = worker;
    this.#end = end;
  }

  /** Opens a file in a worker of its own. */
  static async open(
    file: File,
    progress: (bytes: number) => void,
    notify: (level: Level, message: string) => void,
  ): Promise<Session | Refused> {
    const address = URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" }));
    const worker = new Worker(address, { name: "session" });
    URL.revokeObjectURL(address);
    const remote = wrap<SessionWorker>(worker);
    const end = (): void => {
      remote[releaseProxy]();
      worker.terminate();
    };
    const opened = await remote.open(file, proxy(progress), proxy(notify));
    if (!("problem" in opened)) return new Session(file.name, opened, remote, end);
    end();
    return opened;
  }

  /** Ends the worker, and with it all that was read. */
  close(): void {
    this.#end();
  }

  windows(): Promise<Windows> {
    return this.#ask("history_list_windows", {});
  }

  /** A page of items, from the oldest on. A cursor is the position of an item among all of the branch. */
  items(filter: ItemFilter, cursor: number, limit: number, chars?: number): Promise<Items> {
    const shown = chars === undefined ? {} : { max_chars_per_item: chars };
    return this.#ask("history_list_items", { ...filter, cursor, limit, recent_first: false, ...shown });
  }

  /** How many items the whole branch has. */
  async itemsTotal(): Promise<number> {
    const { items, next_cursor } = await this.#ask<Items>("history_list_items", { limit: 1, max_chars_per_item: 1 });
    return next_cursor === null ? items.length : next_cursor + 1;
  }

  /** Which item of a window that is, counted from its first; `undefined` when it is not in it. `start` is its cursor. */
  async indexOf(window_id: string, item_id: string, start: number): Promise<number | undefined> {
    for (let cursor: number | null = start; cursor !== null; ) {
      const page: Items = await this.items({ window_id }, cursor, ITEMS_MOST, 1);
      const index = page.items.findIndex((item) => item.item_id === item_id);
      if (index >= 0) return cursor - start + index;
      cursor = page.next_cursor;
    }
    return undefined;
  }

  /** Items that hold a text, newest first. */
  search(query: string, filter: ItemFilter, cursor: number): Promise<Items> {
    return this.#ask("history_search_contents", { query, ...filter, cursor, max_chars_per_item: 1 });
  }

  async readItem({ window_id, item_id }: Pick<ItemRow, "window_id" | "item_id">, part: Part): Promise<Slice> {
    return slice(await this.#call("history_read_item", { window_id, item_id, ...part }));
  }

  /** Notes, the latest change first. */
  notes(cursor: number): Promise<{ readonly files: readonly NoteRow[]; readonly next_cursor: number | null }> {
    return this.#ask("notes_list_files", { cursor, max_results: 200 });
  }

  async readNote(path: string, part: Part): Promise<Slice> {
    return slice(await this.#call("notes_read_file", { path, ...part }));
  }

  /** Lines of notes that hold a text. */
  searchNotes(query: string): Promise<{ readonly files: readonly NoteMatches[]; readonly next_cursor: number | null }> {
    return this.#ask("notes_search_contents", { query, max_matches_per_file: 3 });
  }

  async #ask<T>(tool: string, args: object): Promise<T> {
    return JSON.parse(await this.#call(tool, args)) as T;
  }

  async #call(tool: string, args: object): Promise<string> {
    const answer = await this.#worker.call(tool, args);
    if ("complaint" in answer) throw new ToolComplaint(answer.complaint);
    return answer.text;
  }
}

/** All of a text, read to its end. */
export async function whole(read: (part: Part) => Promise<Slice>): Promise<string> {
  let text = "";
  for (let offset_chars = 0; ; ) {
    const { text: more, to, total } = await read({ offset_chars, limit_chars: 50_000 });
    text += more;
    if (to >= total) return text;
    offset_chars = to;
  }
}

/** What the tools that read answer: a line that says which characters these are, then the text. */
function slice(answer: string): Slice {
  const end = answer.indexOf("\n");
  const [, from, to, total] = /· chars (\d+)-(\d+) of (\d+) · [^·]*\]$/.exec(answer.slice(0, end)) ?? [];
  return { text: answer.slice(end + 1), from: Number(from), to: Number(to), total: Number(total) };
}

/** How a session is called: as the person has named it, or by where it worked. */
export function titleOf({ opened, file }: Session): string {
  return visible(opened.name ?? opened.cwd.split(/[\\/]/).filter(Boolean).at(-1) ?? file);
}
