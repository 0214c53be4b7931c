/**
 * Text and JSON that the guest wants kept in the session: JSON is taken apart, and what Pi could not keep is refused.
 *
 * Pi writes an entry later than it takes it, together with all the others when a session gets its file. One that it
 * cannot write then would keep it from writing any.
 */

/** What the contract promises to store, in bytes, and no more: Pi holds every entry in memory. */
const LARGEST = 2 * 1024 * 1024;

/** How many arrays and objects may stand inside each other. `JSON.stringify` can do some thousand; readers in Rust, 127. */
const DEEPEST = 127;

/** The value of a JSON text. Throws, with a reason for people, for what is not JSON, too long, or nested too deep. */
export function parseStored(json: string): unknown {
  const value: unknown = JSON.parse(storedText(json));
  if (depth(value) > DEEPEST) throw new Error(`nested deeper than ${DEEPEST} levels`);
  return value;
}

/** The text itself. Throws, with a reason for people, when it is too long. */
export function storedText(text: string): string {
  if (Buffer.byteLength(text) > LARGEST) throw new Error(`longer than ${LARGEST} bytes`);
  return text;
}

/** The value of JSON that need not be there. */
export function parseStoredIfAny(json: string | undefined): unknown {
  return json === undefined ? undefined : parseStored(json);
}

/** How many arrays and objects stand inside each other. Without recursion, which is what has no end here. */
function depth(value: unknown): number {
  let levels = 0;
  for (let level = [value].filter(isComposed); level.length > 0; level = level.flatMap(members)) levels += 1;
  return levels;
}

function members(value: object): object[] {
  return Object.values(value).filter(isComposed);
}

function isComposed(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
