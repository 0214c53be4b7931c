/**
 * Session files to measure on, in Pi's format: the same number of entries gives the same file, on every machine.
 *
 * The mix is that of long working sessions, about a kilobyte an entry: turns of a request, answers with tool calls and
 * their results, most of which are short and a few long; commands of the person, notes, state of this and of other
 * extensions, and a reset every few hundred entries. Some of the text is Chinese, some has emoji.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { Dice } from "./dice.ts";
import { Prose } from "./prose.ts";

export const SESSION_ID = "5e551017-0000-7000-8000-00000000be7c";

/** A word that stands in one item near the root of the branch, and one that stands nowhere. */
export const RARE_WORD = "xylophagous";
export const ABSENT_WORD = "zygomorphic";

/** The first moment of the session. Entries are half a minute apart. */
const BEGIN = Date.UTC(2026, 0, 5, 9);
const APART = 30_000;
/** After that many entries the context is full. */
const WINDOW = 400;
/** Where in a window the model is reminded to save its work. */
const REMINDER = 30;
/** The rare word is in the request with this number. */
const RARE_REQUEST = 2;
const NOTES = 60;
const CHUNK = 1024 * 1024;

/** An entry, before it has its place on the branch. */
type Content = Readonly<Record<string, unknown>> & { readonly type: string };

/** Writes the file. */
export function writeSession(file: string, entries: number): void {
  const descriptor = openSync(file, "w");
  let text = "";
  for (const line of sessionLines(entries)) {
    text += `${line}\n`;
    if (text.length < CHUNK) continue;
    writeSync(descriptor, text);
    text = "";
  }
  writeSync(descriptor, text);
  closeSync(descriptor);
}

/** The lines of the file: the header, then so many entries on one branch. */
export function* sessionLines(entries: number): Generator<string> {
  yield JSON.stringify({ type: "session", version: 3, id: SESSION_ID, timestamp: timeOf(0), cwd: "/work/widget" });
  let parentId: string | null = null;
  const contents = new Conversation();
  for (let count = 0; count < entries; count += 1) {
    const id = entryId(count);
    const { type, ...rest } = contents.next(id);
    yield JSON.stringify({ type, id, parentId, timestamp: timeOf(count), ...rest });
    parentId = id;
  }
}

function entryId(count: number): string {
  // An odd factor maps different numbers below 2^32 to different ones, and lets them look as Pi's do.
  return (Math.imul(count, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0");
}

function timeOf(count: number): string {
  return new Date(BEGIN + count * APART).toISOString();
}

/** What is said and done, entry by entry. */
class Conversation {
  readonly #dice = new Dice(20_260_105);
  readonly #prose = new Prose(this.#dice);
  /** What has to come next. */
  readonly #due: Content[] = [this.#message("boot", "You are in a new context window.")];
  #count = 0;
  #inWindow = 0;
  #reminded = false;
  #requests = 0;
  #calls = 0;
  #lastReset = "";

  /** The next entry, which will have this id. */
  next(id: string): Content {
    this.#count += 1;
    this.#inWindow += 1;
    if (this.#due.length === 0) this.#plan();
    const content = this.#due.shift() as Content;
    // A compaction keeps what follows its marker, by the marker's id.
    if (content.customType === "pi-context/reset-marker") this.#lastReset = id;
    return content.type === "compaction" ? { ...content, firstKeptEntryId: this.#lastReset } : content;
  }

  #plan(): void {
    if (this.#inWindow >= WINDOW) this.#reset();
    else if (this.#inWindow >= REMINDER && !this.#reminded) this.#remind();
    else if (this.#dice.oneIn(4)) this.#note();
    else if (this.#dice.oneIn(12)) this.#command();
    else if (this.#dice.oneIn(15)) this.#state();
    else this.#turn();
  }

  #turn(): void {
    this.#requests += 1;
    const rare = this.#requests === RARE_REQUEST ? ` What does ${RARE_WORD} mean?` : "";
    const request = `${this.#prose.text(this.#dice.between(40, 400))}${rare}`;
    this.#say({ role: "user", content: [{ type: "text", text: request }] });
    for (let step = this.#dice.between(2, 7); step > 0; step -= 1) this.#step();
    this.#say(answer([{ type: "text", text: this.#prose.text(this.#dice.between(200, 900)) }], "stop"));
  }

  /** An answer with one or two calls, and their results. */
  #step(): void {
    const calls = Array.from({ length: this.#dice.oneIn(4) ? 2 : 1 }, () => this.#call());
    const thinking = { type: "thinking", thinking: this.#prose.text(this.#dice.between(50, 500)) };
    const text = this.#dice.oneIn(2) ? [{ type: "text", text: this.#prose.text(this.#dice.between(20, 200)) }] : [];
    this.#say(answer([thinking, ...text, ...calls], "toolUse"));
    for (const { id, name } of calls) {
      const content = [{ type: "text", text: this.#prose.text(this.#resultLength()) }];
      this.#say({ role: "toolResult", toolCallId: id, toolName: name, content, isError: this.#dice.oneIn(25) });
    }
  }

  #call() {
    this.#calls += 1;
    const name = this.#dice.pick(["bash", "read", "read", "edit", "grep"]);
    const text = this.#prose.text(this.#dice.between(30, name === "edit" ? 900 : 120));
    return {
      type: "toolCall",
      id: `call_${this.#calls}`,
      name,
      arguments: { path: `src/part-${this.#calls % 97}.ts`, text },
    };
  }

  /** Most results are short; a tenth of them holds half of the text. */
  #resultLength(): number {
    if (this.#dice.oneIn(10)) return this.#dice.between(5_000, 13_000);
    return this.#dice.oneIn(3) ? this.#dice.between(1_000, 3_500) : this.#dice.between(20, 1_000);
  }

  #command(): void {
    const output = this.#prose.text(this.#dice.between(100, 2_000));
    const truncated = this.#dice.oneIn(8);
    const kept = truncated ? { fullOutputPath: `/tmp/pi-bash-${this.#count}.log` } : {};
    const command = `make part-${this.#count % 13}`;
    this.#say({ role: "bashExecution", command, output, exitCode: 0, cancelled: false, truncated, ...kept });
  }

  #note(): void {
    const at = BEGIN + this.#count * APART;
    const op = this.#dice.oneIn(3) ? "write" : "append";
    const path = `plan/step-${this.#dice.between(1, NOTES)}.md`;
    const text = `${this.#prose.text(this.#dice.between(60, 600))}\n`;
    const stale = this.#dice.oneIn(10) ? { stale: true } : {};
    this.#custom("pi-context/note", { op, path, text, ...stale, createdAt: at, updatedAt: at });
  }

  /** What else extensions and Pi itself write. */
  #state(): void {
    this.#custom("pr-footer-state", { version: 1, root: "/work/widget", pinned: false });
    this.#custom("todo-list", { items: [this.#prose.text(200)] });
    this.#due.push({ type: "label", targetId: entryId(this.#count - 1), label: `step ${this.#count}` });
  }

  #remind(): void {
    this.#reminded = true;
    this.#due.push(this.#message("guidance", "About 16000 tokens are left before you should save your work."));
  }

  #reset(): void {
    this.#inWindow = 0;
    this.#reminded = false;
    const windowId = `pcw:${SESSION_ID.slice(0, 8)}:${this.#dice.hex()}`;
    this.#custom("pi-context/reset-marker", { version: 1, reason: "threshold", requested: false });
    const summary = `Memory was cleared.\n${this.#prose.text(1_500)}`;
    const details = { piContext: "reset-v2", windowId };
    this.#due.push({ type: "compaction", summary, tokensBefore: 180_000, details, fromHook: true });
  }

  #say(message: object): void {
    this.#due.push({ type: "message", message: { ...message, timestamp: BEGIN + this.#count * APART } });
  }

  #custom(customType: string, data: object): void {
    this.#due.push({ type: "custom", customType, data });
  }

  #message(name: string, content: string): Content {
    return { type: "custom_message", customType: `pi-context/${name}`, content, display: false };
  }
}

function answer(content: readonly object[], stopReason: string): object {
  const usage = { input: 100_000, output: 500, cacheRead: 0, cacheWrite: 0, totalTokens: 100_500 };
  return { role: "assistant", content, api: "scripted", provider: "scripted", model: "scripted-1", usage, stopReason };
}
