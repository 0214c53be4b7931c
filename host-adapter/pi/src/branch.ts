/**
 * The active branch of a session, followed as it grows.
 *
 * Pi knows each entry's parent and the current leaf. Walking from the leaf to the first entry seen before costs what is
 * new, whatever the length of the branch; entries never change, so what was seen before is still right.
 */
import type { SessionEntry, SessionManager } from "@earendil-works/pi-coding-agent";

/** What is read of a session manager. */
export type EntrySource = Pick<SessionManager, "getLeafId" | "getEntry">;

export class Branch {
  readonly #source: EntrySource;
  /** Ids from the root to the leaf, and where each stands. */
  readonly #ids: string[] = [];
  readonly #positions = new Map<string, number>();

  constructor(source: EntrySource) {
    this.#source = source;
  }

  /** The entry of that id, if it is on the active branch. */
  entry(id: string): SessionEntry | undefined {
    this.#follow();
    return this.#positions.has(id) ? this.#source.getEntry(id) : undefined;
  }

  /** Where the entry stands on the active branch, counted from the root; `undefined` when it is not on it. */
  position(id: string): number | undefined {
    this.#follow();
    return this.#positions.get(id);
  }

  /** The entries from a position on, root first. */
  *from(position: number): Generator<SessionEntry> {
    this.#follow();
    for (let index = position; index < this.#ids.length; index += 1) {
      const entry = this.#entryOf(this.#ids[index] ?? null);
      if (entry !== undefined) yield entry;
    }
  }

  #follow(): void {
    const leaf = this.#source.getLeafId();
    if (leaf === (this.#ids.at(-1) ?? null)) return;
    const fresh: string[] = [];
    let entry = this.#entryOf(leaf);
    while (entry !== undefined && !this.#positions.has(entry.id)) {
      fresh.push(entry.id);
      entry = this.#entryOf(entry.parentId);
    }
    const known = entry === undefined ? undefined : this.#positions.get(entry.id);
    this.#cut(known === undefined ? 0 : known + 1);
    for (const id of fresh.reverse()) {
      this.#positions.set(id, this.#ids.length);
      this.#ids.push(id);
    }
  }

  #entryOf(id: string | null): SessionEntry | undefined {
    return id === null ? undefined : this.#source.getEntry(id);
  }

  /** Forgets everything after the first `length` entries. */
  #cut(length: number): void {
    for (const id of this.#ids.splice(length)) this.#positions.delete(id);
  }
}
