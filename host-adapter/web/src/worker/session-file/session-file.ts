/**
 * A session that was read from a file: what identifies it, and its active branch.
 *
 * The tree is followed from the last entry, which is Pi's leaf, to its root. A parent that is missing ends the branch, and
 * so does one that comes round again.
 */
import type {
  Body,
  Entry,
  SessionInfo,
} from "../../../../pi/component/types/interfaces/pi-extension-session-reader.js";
import { bodyOf } from "../../../../pi/src/entries.ts";
import type { ReadableBranch } from "../../../../pi/src/pages.ts";
import { lineAt, type Span, type Stored, storedEntry } from "./entry.ts";

/** An entry as a file names it: its parent by id. */
export interface StoredHeader {
  readonly entry: Entry;
  readonly parent: string | undefined;
  readonly span: Span;
}

export class SessionFile implements ReadableBranch {
  readonly info: SessionInfo;
  readonly #bytes: Uint8Array;
  readonly #version: number;
  /** Root first. */
  readonly #branch: readonly StoredHeader[];
  readonly #positions: ReadonlyMap<string, number>;

  /** `entries` in the order of the file, which is `bytes`, in that version of the format. */
  constructor(info: SessionInfo, entries: readonly StoredHeader[], bytes: Uint8Array, version: number) {
    this.info = info;
    this.#bytes = bytes;
    this.#version = version;
    this.#branch = branchOf(entries);
    this.#positions = new Map(this.#branch.map(({ entry }, position) => [entry.id, position]));
  }

  /** Whether the branch leads back to an entry that names no parent. */
  get isWhole(): boolean {
    return this.#branch[0]?.parent === undefined;
  }

  position(id: string): number | undefined {
    return this.#positions.get(id);
  }

  *headers(from: number): Generator<Entry> {
    for (let position = from; position < this.#branch.length; position += 1) {
      yield (this.#branch[position] as StoredHeader).entry;
    }
  }

  body(id: string): Body | undefined {
    const stored = this.#branch[this.position(id) ?? this.#branch.length];
    if (stored === undefined) return undefined;
    const line = JSON.parse(lineAt(this.#bytes, stored.span)) as Stored;
    return bodyOf(storedEntry(line, id, this.#version));
  }
}

function branchOf(entries: readonly StoredHeader[]): readonly StoredHeader[] {
  // Where a file uses an id twice, the later entry has it.
  const byId = new Map(entries.map((stored) => [stored.entry.id, stored]));
  const branch = new Set<StoredHeader>();
  let next = entries.at(-1);
  while (next !== undefined && !branch.has(next)) {
    branch.add(next);
    next = next.parent === undefined ? undefined : byId.get(next.parent);
  }
  return [...branch].reverse();
}
