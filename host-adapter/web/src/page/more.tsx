/**
 * What is not shown of a text yet, as buttons before and after it.
 */
import { characters } from "./navigation.tsx";
import { readBack, readOn } from "./partial-text.ts";
import type { Part, Slice } from "./session.ts";

export interface MoreProps {
  readonly shown: Slice;
  readonly read: (part: Part) => Promise<Slice>;
  readonly change: (shown: Slice) => void;
}

export function Earlier({ shown, read, change }: MoreProps) {
  if (shown.from === 0) return null;
  return (
    <button type="button" class="more" onClick={async () => change(await readBack(shown, read))}>
      Show what comes before, {characters(shown.from)}
    </button>
  );
}

export function Later({ shown, read, change }: MoreProps) {
  const left = shown.total - shown.to;
  if (left === 0) return null;
  return (
    <button type="button" class="more" onClick={async () => change(await readOn(shown, read))}>
      Read on, {characters(left)} left
    </button>
  );
}
