/**
 * The notes of a branch, replayed from their operations, as `projection.ts` reads the rest: from the root, every time.
 */
import type { SessionEntry } from "@earendil-works/pi-coding-agent";

/** A virtual file of the session. Times are milliseconds since 1970. */
export interface Note {
  readonly path: string;
  readonly text: string;
  /** Of the text, in UTF-8. */
  readonly bytes: number;
  readonly stale: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A change of one note, as it is stored. */
interface Operation {
  readonly op: "write" | "append";
  readonly path: string;
  readonly text?: string;
  readonly stale?: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** No note is larger, in bytes of UTF-8. */
const LARGEST_NOTE = 1_000_000;
/** The last moment that is a date, in either direction. */
const LAST_DATE = 8.64e15;

/** The notes of a branch by path. What is not a valid operation is as if it were not there. */
export function notesOf(branch: readonly SessionEntry[]): Map<string, Note> {
  const notes = new Map<string, Note>();
  for (const entry of branch) {
    if (entry.type !== "custom" || entry.customType !== "pi-context/note" || !isOperation(entry.data)) continue;
    const note = changed(notes.get(entry.data.path.toWellFormed()), entry.data);
    if (note !== undefined) notes.set(note.path, note);
  }
  return notes;
}

/** What an operation makes of a note; `undefined` when it cannot be applied. */
function changed(note: Note | undefined, operation: Operation): Note | undefined {
  const { op, createdAt, updatedAt } = operation;
  // Without text it changes the flag, and not even the time.
  if (operation.text === undefined) return note && { ...note, stale: operation.stale ?? note.stale };
  const added = operation.text.toWellFormed();
  const before = op === "append" ? note : undefined;
  const bytes = (before?.bytes ?? 0) + Buffer.byteLength(added);
  if (bytes > LARGEST_NOTE) return undefined;
  return {
    path: operation.path.toWellFormed(),
    text: (before?.text ?? "") + added,
    bytes,
    stale: operation.stale ?? false,
    createdAt: note?.createdAt ?? createdAt,
    updatedAt,
  };
}

function isOperation(data: unknown): data is Operation {
  if (typeof data !== "object" || data === null) return false;
  const { op, path, text, stale, createdAt, updatedAt } = data as Record<string, unknown>;
  return (
    (op === "write" || op === "append") &&
    isPath(path) &&
    (text === undefined || typeof text === "string") &&
    (stale === undefined || typeof stale === "boolean") &&
    (text !== undefined || stale !== undefined) &&
    isDate(createdAt) &&
    isDate(updatedAt)
  );
}

function isPath(path: unknown): path is string {
  if (typeof path !== "string" || /[\0\\]/.test(path)) return false;
  return path.split("/").every((component) => component !== "" && component !== "." && component !== "..");
}

function isDate(time: unknown): time is number {
  return typeof time === "number" && Math.abs(time) <= LAST_DATE;
}
