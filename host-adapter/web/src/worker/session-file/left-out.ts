/**
 * What of a session file was not understood, and how a person is told: in the words of `pi-capsule` on the command line.
 */
import { plainLine } from "../../../../pi/src/text.ts";
import { counted } from "../../counted.ts";

/** How many kinds are named, and how long their names are. They come from the file, so there can be many, and long ones. */
const KINDS_NAMED = 5;
const LONGEST_KIND = 40;

export class LeftOut {
  /** Lines that are not a JSON object, or hold an entry without type or id. */
  unreadableLines = 0;
  /** Whether the last line stops in the middle, as it does after a crash or while Pi is writing it. */
  truncatedEnd = false;
  /** Whether the active branch does not lead back to a root. What came before is not on it. */
  brokenBranch = false;
  /** The version of the format, if it is later than the one known here. */
  laterVersion: number | undefined;
  /** How many entries there are of each kind that is not known here. They are on the branch, without content. */
  readonly #unknownKinds = new Map<string, number>();
  readonly #knownVersion: number;

  constructor(knownVersion: number) {
    this.#knownVersion = knownVersion;
  }

  unknownKind(name: string): void {
    this.#unknownKinds.set(name, (this.#unknownKinds.get(name) ?? 0) + 1);
  }

  /** What was left out and what can be done about it, in one sentence; `undefined` when everything was understood. */
  get sentence(): string | undefined {
    const parts = [...this.#parts()];
    return parts.length === 0 ? undefined : `${parts.join("; ")}; ${this.#remedy}`;
  }

  *#parts(): Generator<string> {
    if (this.unreadableLines > 0) yield `${counted(this.unreadableLines, "line", "lines")} cannot be read`;
    if (this.truncatedEnd) yield "the last line is incomplete";
    if (this.#unknownKinds.size > 0) {
      const count = [...this.#unknownKinds.values()].reduce((sum, some) => sum + some, 0);
      const entries = counted(count, "entry is", "entries are");
      yield `${entries} of an unknown kind (${this.#kindsNamed})`;
    }
    if (this.brokenBranch) yield "the beginning of the branch is missing";
    if (this.laterVersion !== undefined) {
      yield `its format ${this.laterVersion} is later than the ${this.#knownVersion} known here`;
    }
  }

  get #kindsNamed(): string {
    const names = [...this.#unknownKinds.keys()].sort().slice(0, KINDS_NAMED);
    const rest = this.#unknownKinds.size - names.length;
    const shown = names.map((name) => plainLine([...name].slice(0, LONGEST_KIND).join("")));
    return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join(", ");
  }

  get #remedy(): string {
    if (this.laterVersion !== undefined || this.#unknownKinds.size > 0) {
      return "a later version of pi-capsule may know more";
    }
    if (this.truncatedEnd) return "if Pi is writing to it now, try again when Pi has finished";
    return "the file is damaged, and what is shown is what can be read";
  }
}
