/**
 * The pages in which a guest reads a branch: `session-reader` without the session itself.
 *
 * Knows the limits of the contract and nothing of where entries come from, so every host in JavaScript reads with it.
 */
import type { Body, Changes, Entry, EntryId, Page } from "../component/types/interfaces/pi-extension-session-reader.js";
import { utf8Length } from "./text.ts";

/** The limits of the contract: entries of a page, and JSON or text of one answer. */
const PAGE_ENTRIES = 1000;
const PAGE_BYTES = 1024 * 1024;

/** An active branch, as a guest is told of it. */
export interface ReadableBranch {
  /** Where the entry stands, counted from the root; `undefined` when it is not on the branch. */
  position(id: EntryId): number | undefined;
  /** The headers from a position on, root first. */
  headers(from: number): Iterable<Entry>;
  /** The body of an entry; `undefined` when it has none, or is not on the branch. */
  body(id: EntryId): Body | undefined;
}

/** `session-reader.changes-since`. */
export function changesSince(branch: ReadableBranch, cursor: EntryId | undefined): Changes {
  const position = cursor === undefined ? undefined : branch.position(cursor);
  return position === undefined
    ? { tag: "replaced", val: pageFrom(branch, 0) }
    : { tag: "appended", val: pageFrom(branch, position + 1) };
}

/** `session-reader.read-bodies`. */
export function readBodies(branch: ReadableBranch, ids: readonly EntryId[]): (Body | undefined)[] {
  const bodies: (Body | undefined)[] = [];
  let size = 0;
  for (const id of ids) {
    const body = branch.body(id);
    bodies.push(body);
    size += body === undefined ? 0 : bodySize(body);
    if (size >= PAGE_BYTES) break;
  }
  return bodies;
}

function pageFrom(branch: ReadableBranch, position: number): Page {
  const entries: Entry[] = [];
  let bytes = 0;
  for (const entry of branch.headers(position)) {
    if (entries.length >= PAGE_ENTRIES || bytes > PAGE_BYTES) return { entries, more: true };
    entries.push(entry);
    bytes += jsonBytes(entry);
  }
  return { entries, more: false };
}

/** How much JSON a header carries, in UTF-8 bytes. */
function jsonBytes({ kind }: Entry): number {
  if (kind.tag === "custom") return utf8Length(kind.val.data ?? "");
  return kind.tag === "compaction" ? utf8Length(kind.val ?? "") : 0;
}

/** How much text a body carries. In UTF-16 units: bounding a page needs no more than that. */
function bodySize({ textParts, toolCalls }: Body): number {
  const text = textParts.reduce((sum, part) => sum + part.length, 0);
  return toolCalls.reduce((sum, call) => sum + call.arguments.length, text);
}
