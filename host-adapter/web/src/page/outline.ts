/**
 * What a session holds, in outline: its windows with where they begin, and its notes.
 */
import type { NoteRow, Session, WindowRow } from "./session.ts";

export interface SessionWindow {
  readonly id: string;
  readonly items: number;
  /** Counted from 1, the oldest. */
  readonly number: number;
  /** The position of its first item among all items of the branch: the cursor that begins there. */
  readonly start: number;
}

export interface Outline {
  /** Newest first. */
  readonly windows: readonly SessionWindow[];
  /** How many older windows there are that are not listed. */
  readonly omitted: number;
  /** The latest change first. */
  readonly notes: readonly NoteRow[];
}

export async function outlineOf(session: Session): Promise<Outline> {
  const [{ windows, omitted = 0 }, total, notes] = await Promise.all([
    session.windows(),
    session.itemsTotal(),
    allNotes(session),
  ]);
  return { windows: placed(windows, omitted, total), omitted, notes };
}

/** The newest window ends with the last item, the one before it where the newest begins. */
function placed(rows: readonly WindowRow[], omitted: number, total: number): readonly SessionWindow[] {
  let start = total;
  return rows.map(({ window_id: id, item_count: items }, index) => {
    start -= items;
    return { id, items, number: omitted + rows.length - index, start };
  });
}

async function allNotes(session: Session): Promise<readonly NoteRow[]> {
  const notes: NoteRow[] = [];
  for (let cursor: number | null = 0; cursor !== null; ) {
    const page: Awaited<ReturnType<Session["notes"]>> = await session.notes(cursor);
    notes.push(...page.files);
    cursor = page.next_cursor;
  }
  return notes;
}
