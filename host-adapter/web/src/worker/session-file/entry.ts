/**
 * One line of a session file, brought up to the format that `pi/src/entries.ts` reads.
 *
 * Nothing is taken for granted about the shape of a line, here or there.
 */
import type { header } from "../../../../pi/src/entries.ts";

/** Where a line stands in its file, in bytes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A JSON object from a file. */
export type Stored = Readonly<Record<string, unknown>>;

/** Kinds that hold nothing for a reader. Together with those that have content, all that Pi writes. */
export const KINDS_WITHOUT_CONTENT: readonly string[] = [
  "label",
  "model_change",
  "session_info",
  "thinking_level_change",
  "usage",
];

/** An entry as Pi knows it. */
type SessionEntry = Parameters<typeof header>[0];

/** The first version of the format in which the role `custom` has that name. */
const ROLE_CUSTOM_SINCE = 3;

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text of a line. Bytes that are not UTF-8 become visible. */
export function lineAt(bytes: Uint8Array, { start, end }: Span): string {
  return DECODER.decode(bytes.subarray(start, end));
}

/** The entry as the known version of the format has it. */
export function storedEntry(stored: Stored, id: string, version: number): SessionEntry {
  const { message } = stored;
  const isOld = version < ROLE_CUSTOM_SINCE && typeof message === "object" && message !== null;
  const renamed = isOld && "role" in message && message.role === "hookMessage";
  return { ...stored, id, ...(renamed ? { message: { ...message, role: "custom" } } : {}) } as unknown as SessionEntry;
}

/** The text that a member is, as valid Unicode; empty for anything else. */
export function text(value: unknown): string {
  return typeof value === "string" ? value.toWellFormed() : "";
}

/** When it was stored, in milliseconds. */
export function timeOf(stored: Stored): bigint | undefined {
  const time = Date.parse(text(stored.timestamp));
  return Number.isNaN(time) ? undefined : BigInt(time);
}
