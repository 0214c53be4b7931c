/**
 * What is different at every run of Pi, as something that is the same: the time, and the ids of entries.
 */

/** When a recorded session begins. */
export const BEGIN = Date.parse("2025-03-01T09:00:00.000Z");

/** `text` with every id replaced by the name that belongs to its place in `ids`. */
export function renamed(text: string, ids: readonly string[], name: (index: number) => string): string {
  const places = new Map(ids.map((id, index) => [id, index]));
  return text.replace(/\b[0-9a-f]{8}\b/g, (word) => {
    const index = places.get(word);
    return index === undefined ? word : name(index);
  });
}

/** `e0000001` and so on. */
export function counted(index: number): string {
  return `e${hex(index + 1, 7)}`;
}

export function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
