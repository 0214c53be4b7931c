/**
 * A text of which a part is shown, and how the part grows: a page at a time, in either direction.
 */
import type { Part, Slice } from "./session.ts";

/** How many characters are read at once. */
const STEP = 12_000;

/** How much is shown around a place that was looked for: before it, and in all. */
const BEFORE = 600;
const AROUND = 2_400;

type Read = (part: Part) => Promise<Slice>;

/** The part with what follows it. */
export async function readOn(shown: Slice, read: Read): Promise<Slice> {
  const next = await read({ offset_chars: shown.to, limit_chars: STEP });
  return { ...shown, text: shown.text + next.text, to: next.to };
}

/** The part with what precedes it. */
export async function readBack(shown: Slice, read: Read): Promise<Slice> {
  let from = Math.max(0, shown.from - STEP);
  const begin = from;
  let text = "";
  // A page holds fewer characters than were asked for when they take many bytes.
  while (from < shown.from) {
    const more = await read({ offset_chars: from, limit_chars: shown.from - from });
    text += more.text;
    from = more.to;
  }
  return { ...shown, text: text + shown.text, from: begin };
}

/** A part that holds a place: the one there is, or another one around it. */
export async function reaching(shown: Slice, offset: number, read: Read): Promise<Slice> {
  const isShown = offset >= shown.from && offset < shown.to;
  return isShown ? shown : read({ offset_chars: Math.max(0, offset - BEFORE), limit_chars: AROUND });
}
