/**
 * Reads a session file from front to back, once: the header, then the header of each entry.
 *
 * Does what `host-adapter/rust/src/session_file` does with files of all ages and states: what cannot be read is left out
 * and counted, the rest is there all the same. The bytes stay in memory and are never changed; texts are taken from them
 * when somebody asks.
 */
import type { SessionInfo } from "../../../../pi/component/types/interfaces/pi-extension-session-reader.js";
import { type DataFilter, header } from "../../../../pi/src/entries.ts";
import { KINDS_WITHOUT_CONTENT, lineAt, type Span, type Stored, storedEntry, text, timeOf } from "./entry.ts";
import { LeftOut } from "./left-out.ts";
import { SessionFile, type StoredHeader } from "./session-file.ts";

/** The version of the format that is known here. */
export const FORMAT_VERSION = 3;

/** The first version whose entries name their parents. */
const TREE_SINCE = 2;

/** Within how many bytes of the file its header has to end. Keeps other files from being read whole. */
const HEADER_WITHIN = 1024 * 1024;

const LINE_BREAK = 10;

/** Why a file cannot be read as a session, as the rest of a sentence that begins with the file's name. */
export class NotASession extends Error {
  override readonly name = "NotASession";
}

interface FileHeader {
  readonly version: number;
  readonly info: SessionInfo;
}

/** A file as far as it has been read. `bytes` is as long as the file and filled from the front. */
export class Reading {
  readonly #bytes: Uint8Array;
  readonly #mayReadData: DataFilter;
  readonly #leftOut = new LeftOut(FORMAT_VERSION);
  readonly #entries: StoredHeader[] = [];
  /** Where the next line begins. */
  #offset = 0;
  #header: FileHeader | undefined;
  #name: string | undefined;

  constructor(bytes: Uint8Array, mayReadData: DataFilter) {
    this.#bytes = bytes;
    this.#mayReadData = mayReadData;
  }

  /** Takes the lines that are complete, with so many bytes there. Throws {@link NotASession}. */
  take(filled: number): void {
    const there = this.#bytes.subarray(0, filled);
    const nextEnd = (): number => there.indexOf(LINE_BREAK, this.#offset) + 1;
    for (let end = nextEnd(); end > 0; end = nextEnd()) this.#line(end, true);
    if (this.#header === undefined && filled > HEADER_WITHIN) throw noHeader();
  }

  /** Takes what stands after the last line break, and gives the session. */
  end(): { readonly session: SessionFile; readonly leftOut: LeftOut } {
    if (this.#bytes.length === 0) throw new NotASession("this file is empty");
    if (this.#offset < this.#bytes.length) this.#line(this.#bytes.length, false);
    if (this.#header === undefined) throw noHeader();
    const { info, version } = this.#header;
    const named = this.#name === undefined ? info : { ...info, name: this.#name };
    const session = new SessionFile(named, this.#entries, this.#bytes, version);
    this.#leftOut.brokenBranch = !session.isWhole;
    return { session, leftOut: this.#leftOut };
  }

  #line(end: number, isComplete: boolean): void {
    const span: Span = { start: this.#offset, end };
    this.#offset = end;
    const line = lineAt(this.#bytes, span);
    if (line.trim() === "") return;
    const value = parse(line);
    if (this.#header !== undefined) this.#entry(value, span, isComplete);
    else if (value === undefined) this.#leftOut.unreadableLines += 1;
    else this.#begin(value, end);
  }

  #begin(value: unknown, end: number): void {
    const stored = isObject(value) ? value : {};
    const id = text(stored.id);
    if (stored.type !== "session" || id === "" || end > HEADER_WITHIN) throw noHeader();
    // Files of the first version have no version.
    const version = Number.isSafeInteger(stored.version) ? Number(stored.version) : 1;
    if (version > FORMAT_VERSION) this.#leftOut.laterVersion = version;
    // Without one, any absolute path will do.
    const cwd = text(stored.cwd) || "/";
    const createdAt = timeOf(stored);
    const info: SessionInfo = { id, cwd, pathStyle: pathStyle(cwd), ...(createdAt === undefined ? {} : { createdAt }) };
    this.#header = { version, info };
  }

  #entry(value: unknown, span: Span, isComplete: boolean): void {
    if (!isObject(value)) {
      if (isComplete) this.#leftOut.unreadableLines += 1;
      else this.#leftOut.truncatedEnd = true;
      return;
    }
    if (value.type === "session") return;
    const { version } = this.#header as FileHeader;
    const [id, parent] = this.#place(value, version);
    if (typeof value.type !== "string" || id === "") {
      this.#leftOut.unreadableLines += 1;
      return;
    }
    const entry = header(storedEntry(value, id, version), this.#mayReadData);
    if (entry.kind.tag === "other" && !KINDS_WITHOUT_CONTENT.includes(entry.kind.val)) {
      this.#leftOut.unknownKind(entry.kind.val);
    }
    // The latest name counts, wherever in the tree it is; an empty one takes the name away.
    if (value.type === "session_info") this.#name = text(value.name).trim() || undefined;
    this.#entries.push({ entry, parent, span });
  }

  /** The id of an entry and that of its parent. */
  #place(stored: Stored, version: number): [id: string, parent: string | undefined] {
    if (version >= TREE_SINCE) return [text(stored.id), text(stored.parentId) || undefined];
    // The ids that Pi would give are random. These are the same each time the file is read.
    return [this.#entries.length.toString(16).padStart(8, "0"), this.#entries.at(-1)?.entry.id];
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Stored {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** How the paths of a session are written: its file may come from another machine than this one. */
function pathStyle(cwd: string): SessionInfo["pathStyle"] {
  return /^[A-Za-z]:|^\\\\/.test(cwd) ? "windows" : "posix";
}

function noHeader(): NotASession {
  return new NotASession("this is not a Pi session: it does not begin with a session header");
}
