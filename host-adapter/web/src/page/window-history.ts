/**
 * The history of a window as far as the page knows it: its items, fetched in runs as they come into sight, and how each of
 * them is shown. Kept as long as the window is shown, whatever of it is in sight.
 */
import { type ItemState, initialState } from "./item-state.ts";
import type { SessionWindow } from "./outline.ts";
import { reaching } from "./partial-text.ts";
import type { ItemRow, Part, Session, Slice } from "./session.ts";

/** How many items are fetched together: about two screens. */
const RUN = 25;

export class WindowHistory {
  readonly window: SessionWindow;
  readonly #session: Session;
  readonly #changed: () => void;
  readonly #rows = new Map<number, ItemRow>();
  readonly #runs = new Map<number, Promise<void>>();
  readonly #states = new Map<string, ItemState>();

  /** `changed` is told when something is there, or is shown in another way. */
  constructor(session: Session, window: SessionWindow, changed: () => void) {
    this.#session = session;
    this.window = window;
    this.#changed = changed;
  }

  /** The item at that place in the window, if it has been fetched. */
  at(index: number): ItemRow | undefined {
    return this.#rows.get(index);
  }

  /** Resolves when the item at that place, and those around it, have been fetched. */
  fetch(index: number): Promise<void> {
    const first = index - (index % RUN);
    const fetched = this.#runs.get(first) ?? this.#fetchRun(first);
    this.#runs.set(first, fetched);
    // What could not be fetched can be tried again.
    fetched.catch(() => this.#runs.delete(first));
    return fetched;
  }

  /** How the item is shown. */
  state(row: ItemRow): ItemState {
    return this.#states.get(row.item_id) ?? initialState(row);
  }

  show(row: ItemRow, state: ItemState): void {
    this.#states.set(row.item_id, state);
    this.#changed();
  }

  /** Unfolds an item and shows of it what is around a place. Answers where it stands; `undefined` when it is not here. */
  async reveal(item: string, offset: number): Promise<number | undefined> {
    const index = await this.#session.indexOf(this.window.id, item, this.window.start);
    if (index === undefined) return undefined;
    await this.fetch(index);
    const row = this.at(index) as ItemRow;
    const shown = await reaching(this.state(row).shown, offset, this.reader(row));
    this.show(row, { isOpen: true, shown });
    return index;
  }

  /** Reads parts of an item. */
  reader(row: ItemRow): (part: Part) => Promise<Slice> {
    return (part) => this.#session.readItem(row, part);
  }

  async #fetchRun(first: number): Promise<void> {
    const { id: window_id, start, items } = this.window;
    const end = Math.min(first + RUN, items);
    // A page holds fewer than were asked for when their texts are long.
    for (let index = first; index < end; ) {
      const page = await this.#session.items({ window_id }, start + index, end - index);
      for (const row of page.items) {
        this.#rows.set(index, row);
        index += 1;
      }
      this.#changed();
    }
  }
}
