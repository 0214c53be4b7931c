/**
 * What stands around a component while a story is told to it: imports whose time, chance and programs are the story's, and
 * a record of all that goes in and out.
 *
 * Everything else of an import is the adapter's own. Ids are those of `tests/conformance/README.md`: entries are called `e0`,
 * `e1`, … in the order in which they came to be, whatever Pi calls them.
 */
import type { ImportObject } from "../../component/types/extension.js";
import type { Guest } from "../../src/host.ts";

/** The wall clock when a story begins, and how long the session has been there by then. */
const NOW = 1_700_000_000_000;
const AGE = 12 * 60_000;
const SESSION_ID = "0123456789abcdef";
const MINUTES_EAST = 60;

interface Running {
  readonly id: number;
  readonly args: readonly string[];
}

type Call = (...args: never[]) => unknown;
type Interfaces = Readonly<Record<string, Readonly<Record<string, Call>>>>;

export class StoryEdges {
  /** The section of the settings of the person and of the project. */
  settings: readonly [global: string | null, project: string | null] = [null, null];
  /** Functions of the world that were called, such as `clock.now`. */
  readonly called = new Set<string>();
  readonly #running: Running[] = [];
  readonly #timers = new Map<number, number>();
  /** Pi's ids of entries, in the order in which they came to be. */
  readonly #entries: string[] = [];
  #does: string[] = [];
  #says: string[] = [];
  #elapsed = 0;
  #lastProcess = 0;
  #lastTimer = 0;
  #lastRandom = 0;
  /** The export that is running. */
  #inside: string | undefined;

  /** What has been done since the last time; what was said to the model comes last. */
  takeDone(): string[] {
    const done = [...this.#does, ...this.#says];
    this.#does = [];
    this.#says = [];
    return done;
  }

  /** Takes one of the running processes, counted round. */
  takeNth(nth: number): number | undefined {
    if (this.#running.length === 0) return undefined;
    return this.#running.splice(nth % this.#running.length, 1)[0]?.id;
  }

  isRunning(id: number): boolean {
    return this.#running.some((one) => one.id === id);
  }

  isWaiting(id: number): boolean {
    return this.#timers.has(id);
  }

  get waiting(): readonly number[] {
    return [...this.#timers.keys()];
  }

  /** Lets time pass and takes the timers that are due then. */
  takeDue(milliseconds: number): readonly number[] {
    this.#elapsed += milliseconds;
    const due = [...this.#timers].filter(([, at]) => at <= this.#elapsed).map(([id]) => id);
    for (const id of due) this.#timers.delete(id);
    return due;
  }

  /** The name of an entry in stories. */
  nameOf(id: string): string {
    const known = this.#entries.indexOf(id);
    return `e${known < 0 ? this.#entries.push(id) - 1 : known}`;
  }

  /** The exports, each of which is written down and must not be called while another one runs. */
  watched(guest: Guest): Guest {
    return this.#wrapped(guest as unknown as Interfaces, (name, call) => (...args) => {
      if (this.#inside !== undefined) throw new Error(`${name} is called inside of ${this.#inside}`);
      this.#inside = name;
      try {
        return call(...args);
      } finally {
        this.#inside = undefined;
      }
    }) as unknown as Guest;
  }

  /** The imports, each of which is written down. */
  around(imports: ImportObject): ImportObject {
    const own = this.#own(imports);
    return this.#wrapped(own as unknown as Interfaces, (_name, call) => call) as unknown as ImportObject;
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

  #own(imports: ImportObject): ImportObject {
    const reader = imports["pi:extension/session-reader@0.1.0"];
    const writer = imports["pi:extension/session-writer@0.1.0"];
    const agent = imports["pi:extension/agent@0.1.0"];
    const status = imports["pi:extension/status@0.1.0"];
    const settings = imports["pi:extension/settings@0.1.0"];
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
          this.#does.push(`append ${type} ${data}`);
          return this.nameOf(writer.append(type, data));
        },
      },
      "pi:extension/agent@0.1.0": {
        ...agent,
        sendMessage: (message, delivery) => {
          agent.sendMessage(message, delivery);
          this.#says.push(`send ${message.customType} ${delivery} ${message.text}`);
        },
        compact: (attempt) => {
          this.#does.push(`compact ${attempt}`);
          agent.compact(attempt);
        },
      },
      "pi:extension/status@0.1.0": {
        setStatus: (key, text) => {
          this.#does.push(`status ${key}: ${text ?? "(none)"}`);
          status.setStatus(key, text);
        },
        notify: (level, message) => {
          this.#does.push(`${level}: ${message}`);
          status.notify(level, message);
        },
      },
      "pi:extension/settings@0.1.0": {
        ...settings,
        section: (scope) => this.settings[scope === "global" ? 0 : 1] ?? undefined,
      },
      "pi:extension/subprocess@0.1.0": {
        start: ({ program, arguments: args }) => {
          this.#lastProcess += 1;
          this.#running.push({ id: this.#lastProcess, args });
          this.#does.push(`run ${program} ${args.join(" ")}`);
          return this.#lastProcess;
        },
        cancel: (id) => {
          const at = this.#running.findIndex((one) => one.id === id);
          if (at < 0) return;
          const [{ args } = { args: [] }] = this.#running.splice(at, 1);
          this.#does.push(`kill ${args.join(" ")}`);
        },
      },
      "pi:extension/clock@0.1.0": {
        now: () => BigInt(NOW + this.#elapsed),
        monotonicNow: () => BigInt(5_000 + this.#elapsed),
        utcOffset: () => MINUTES_EAST,
        startTimer: (delay) => {
          this.#lastTimer += 1;
          this.#timers.set(this.#lastTimer, this.#elapsed + delay);
          this.#does.push(`timer in ${delay} ms`);
          return this.#lastTimer;
        },
        cancelTimer: (id) => {
          this.#timers.delete(id);
          this.#does.push("no timer");
        },
      },
      "pi:extension/random@0.1.0": {
        bits: () => {
          this.#lastRandom += 1;
          return this.#lastRandom;
        },
      },
    };
  }

  #idOf(name: string): string {
    return this.#entries[Number(name.slice(1))] ?? name;
  }
}

/** A name of JavaScript as the WIT has it. */
function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
