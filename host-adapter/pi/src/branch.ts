/**
 * The active branch of a session, followed as it grows.
 *
 * Pi knows each entry's parent and the current leaf. Walking from the leaf to the entry that was last before costs what
 * is new, whatever the length of the branch; entries never change, so what was seen before is still right. When the
 * person moves to another point of the tree, the branch is walked anew.
 */
import type { SessionEntry, SessionManager } from "@earendil-works/pi-coding-agent";

/** What is read of a session manager. */
export type EntrySource = Pick<SessionManager, "getLeafId" | "getEntry">;

/** How far around the last answer an entry is looked for, before all entries are indexed. */
const NEARBY = 8;

export class Branch {
  readonly #source: EntrySource;
  /** From the root to the leaf. */
  #entries: SessionEntry[] = [];
  /** Where each stands, by id. Filled when it is first needed, which for a long session takes longer than the walk. */
  readonly #positions = new Map<string, number>();
  /** The latest answer. A guest reads in the order of the branch, forwards or backwards. */
  #latest = 0;

  constructor(source: EntrySource) {
    this.#source = source;
  }

  /** The entry of that id, if it is on the active branch. */
  entry(id: string): SessionEntry | undefined {
    const position = this.position(id);
    return position === undefined ? undefined : this.#entries[position];
  }

  /** Where the entry stands on the active branch, counted from the root; `undefined` when it is not on it. */
  position(id: string): number | undefined {
    this.#follow();
    const position = this.#nearby(id) ?? this.#index().get(id);
    if (position !== undefined) this.#latest = position;
    return position;
  }

  /** The entries from a position on, root first. */
  *from(position: number): Generator<SessionEntry> {
    this.#follow();
    for (let index = position; index < this.#entries.length; index += 1) {
      this.#latest = index;
      yield this.#entries[index] as SessionEntry;
    }
  }

  #follow(): void {
    const leaf = this.#source.getLeafId();
    const tip = this.#entries.at(-1)?.id ?? null;
    if (leaf === tip) return;
    const fresh: SessionEntry[] = [];
    let entry = this.#entryOf(leaf);
    while (entry !== undefined && entry.id !== tip) {
      fresh.push(entry);
      entry = this.#entryOf(entry.parentId);
    }
    if (entry === undefined) this.#forget();
    for (const next of fresh.reverse()) this.#entries.push(next);
  }

  #nearby(id: string): number | undefined {
    for (let distance = 0; distance <= NEARBY; distance += 1) {
      if (this.#entries[this.#latest - distance]?.id === id) return this.#latest - distance;
      if (this.#entries[this.#latest + distance]?.id === id) return this.#latest + distance;
    }
    return undefined;
  }

  #index(): ReadonlyMap<string, number> {
    for (let position = this.#positions.size; position < this.#entries.length; position += 1) {
      this.#positions.set((this.#entries[position] as SessionEntry).id, position);
    }
    return this.#positions;
  }

  #entryOf(id: string | null): SessionEntry | undefined {
    return id === null ? undefined : this.#source.getEntry(id);
  }

  #forget(): void {
    this.#entries = [];
    this.#positions.clear();
    this.#latest = 0;
  }
}
