/**
 * Text as the contract wants it: valid Unicode, and no control characters where a person reads it.
 */

const REPLACEMENT = "\uFFFD";

/** C0, DEL and C1; the bidirectional controls; the two Unicode line breaks. */
const CONTROLS = /[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\u2028\u2029]/g;

/** `text` on one line, with every control character replaced, visibly. */
export function plainLine(text: string): string {
  return text.replace(CONTROLS, REPLACEMENT);
}

/** As {@link plainLine}, but keeps its line breaks. */
export function plainLines(text: string): string {
  return text.split("\n").map(plainLine).join("\n");
}

/** An escaped backslash, or the escape of half a character: the only ones that `JSON.stringify` writes. */
const ESCAPES = /\\\\|\\ud[89a-f][0-9a-f]{2}/g;

/** The JSON text of `value`, without lone surrogates; `undefined` for what JSON cannot hold, such as a cycle. */
export function jsonText(value: unknown): string | undefined {
  const text = stringify(value);
  if (!text?.includes("\\ud")) return text;
  return text.replace(ESCAPES, (match) => (match === "\\\\" ? match : REPLACEMENT));
}

function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const UTF8 = new TextEncoder();

/** How long a text is in UTF-8, in bytes. */
export function utf8Length(text: string): number {
  return UTF8.encode(text).length;
}

/** What was thrown, as one line. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
