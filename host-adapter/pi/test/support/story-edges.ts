/**
 * What stands between a component and the adapter while a story is told: a record of all that goes in and out.
 *
 * Ids are those of `tests/conformance/README.md`: entries are called `e0`, `e1`, … in the order in which they came to be,
 * whatever Pi calls them, and the session has a name and an age that Pi would choose itself.
 */
import type { ImportObject } from "../../component/types/extension.js";
import type { Guest } from "../../src/host.ts";
import { ImportFailure } from "../../src/imports/failure.ts";
import { NOW } from "./story-machine.ts";

const AGE = 12 * 60_000;
const SESSION_ID = "0123456789abcdef";

type Call = (...args: never[]) => unknown;
type Interfaces = Readonly<Record<string, Readonly<Record<string, Call>>>>;

export class StoryEdges {
  /** Functions of the world that were called, such as `clock.now`. */
  readonly called = new Set<string>();
  /** How many calls of exports there were. */
  calls = 0;
  /** The ids of the programs and of the timers that the guest waits for. */
  readonly programs = new Set<number>();
  readonly timers = new Set<number>();
  /** Pi's ids of all entries, in the order in which they came to be. */
  entries: () => readonly string[] = () => [];
  #does: string[] = [];
  #says: string[] = [];
  /** The export that is running. */
  #inside: string | undefined;

  /** Something is done. */
  readonly record = (line: string): void => {
    this.#does.push(line);
  };

  /** What has been done since the last time; what was said to the model comes last. */
  takeDone(): string[] {
    const done = [...this.#does, ...this.#says];
    this.#does = [];
    this.#says = [];
    return done;
  }

  /** The name of an entry in stories. */
  nameOf(id: string): string {
    return `e${this.entries().indexOf(id)}`;
  }

  /** The session has ended, and nothing is waited for any more. */
  forget(): void {
    this.programs.clear();
    this.timers.clear();
  }

  /** The exports, each of which is written down and must not be called while another one runs. */
  watched(guest: Guest): Guest {
    return this.#wrapped(guest as unknown as Interfaces, (name, call) => (...args) => {
      if (this.#inside !== undefined) throw new Error(`${name} is called inside of ${this.#inside}`);
      this.#inside = name;
      this.calls += 1;
      if (name === "completions.subprocess-finished") this.programs.delete(Number(args[0]));
      if (name === "completions.timer-fired") this.timers.delete(Number(args[0]));
      try {
        return call(...args);
      } finally {
        this.#inside = undefined;
      }
    }) as unknown as Guest;
  }

  /** The imports, each of which is written down. */
  around(imports: ImportObject): ImportObject {
    const named = this.#named(imports);
    return this.#wrapped(named as unknown as Interfaces, (_name, call) => call) as unknown as ImportObject;
  }

  #wrapped(interfaces: Interfaces, wrap: (name: string, call: Call) => Call): Interfaces {
    const all = Object.entries(interfaces).map(([path, functions]) => {
      const [, plain = path] = /^pi:extension\/(.+)@/.exec(path) ?? [];
      const wrapped = Object.entries(functions).map(([key, call]) => {
        const name = `${kebab(plain)}.${kebab(key)}`;
        const inner = wrap(name, call);
        const outer: Call = (...args) => {
          this.called.add(name);
          return inner(...args);
        };
        return [key, outer];
      });
      return [path, Object.fromEntries(wrapped)];
    });
    return Object.fromEntries(all);
  }

  #named(imports: ImportObject): ImportObject {
    const reader = imports["pi:extension/session-reader@0.1.0"];
    const writer = imports["pi:extension/session-writer@0.1.0"];
    const agent = imports["pi:extension/agent@0.1.0"];
    const subprocess = imports["pi:extension/subprocess@0.1.0"];
    const clock = imports["pi:extension/clock@0.1.0"];
    return {
      ...imports,
      "pi:extension/session-reader@0.1.0": {
        session: () => ({ ...reader.session(), id: SESSION_ID, createdAt: BigInt(NOW - AGE) }),
        changesSince: (cursor) => {
          const changes = reader.changesSince(cursor === undefined ? undefined : this.#idOf(cursor));
          const entries = changes.val.entries.map((entry) => ({ ...entry, id: this.nameOf(entry.id) }));
          return { ...changes, val: { ...changes.val, entries } };
        },
        readBodies: (ids) => reader.readBodies(ids.map((id) => this.#idOf(id))),
      },
      "pi:extension/session-writer@0.1.0": {
        append: (type, data) => {
          const id = this.#asked(`append ${type} ${data}`, () => writer.append(type, data));
          return this.nameOf(id);
        },
      },
      "pi:extension/agent@0.1.0": {
        ...agent,
        sendMessage: (message, delivery) => {
          agent.sendMessage(message, delivery);
          this.#says.push(`send ${message.customType} ${delivery} ${message.text}`);
        },
        compact: (attempt) => this.#asked(`compact ${attempt}`, () => agent.compact(attempt)),
      },
      "pi:extension/subprocess@0.1.0": {
        ...subprocess,
        start: (command) => {
          const id = subprocess.start(command);
          this.programs.add(id);
          return id;
        },
      },
      "pi:extension/clock@0.1.0": {
        ...clock,
        startTimer: (delay) => {
          const id = clock.startTimer(delay);
          this.timers.add(id);
          return id;
        },
        cancelTimer: (id) => {
          this.timers.delete(id);
          clock.cancelTimer(id);
        },
      },
    };
  }

  /** A request that is written down, unless it does not get past the policy or makes no sense. */
  #asked<T>(line: string, ask: () => T): T {
    try {
      const answer = ask();
      this.record(line);
      return answer;
    } catch (error) {
      if (error instanceof ImportFailure && error.payload.tag === "failed") this.record(line);
      throw error;
    }
  }

  #idOf(name: string): string {
    return this.entries()[Number(name.slice(1))] ?? name;
  }
}

/** A name of JavaScript as the WIT has it. */
function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
