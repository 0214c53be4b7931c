/**
 * How an item is shown: folded or not, and which part of its text.
 */
import type { ItemRow, Role, Slice } from "./session.ts";

export interface ItemState {
  readonly isOpen: boolean;
  readonly shown: Slice;
}

const OPEN_ROLES: ReadonlySet<Role> = new Set(["user", "assistant"]);

/** Whether an item can be folded. */
export function isFoldable({ role }: ItemRow): boolean {
  return !OPEN_ROLES.has(role);
}

/** How an item is shown before anybody has touched it. */
export function initialState(item: ItemRow): ItemState {
  const { truncated_content: text, total_chars: total } = item;
  return { isOpen: false, shown: { text, from: 0, to: [...text].length, total } };
}
