/**
 * Tells a story of `fuzz/corpus/story` to the component in Node: through the bindings and the imports that Pi's sessions go
 * through, with a session manager of Pi, and with processes and timers that the story itself ends.
 *
 * What a story is made of is written down in `tests/suite/world/story.rs`, which tells the same ones under wasmtime.
 */
import assert from "node:assert/strict";
import { type ExtensionAPI, type ExtensionContext, SessionManager } from "@earendil-works/pi-coding-agent";
import type { ImportObject } from "../../component/types/extension.js";
import { Capsule } from "../../src/capsule.ts";
import type { Component } from "../../src/component.ts";
import type { Guest } from "../../src/host.ts";
import { policy } from "./policy.ts";

/** A member of an enum with data is an object with one key; one without is that key. */
type Tagged = string | Readonly<Record<string, unknown>>;

/** What the entries of a story hold, each kind some of it. */
interface StoredParts {
  readonly text: string;
  readonly calls: readonly (readonly [name: string, args: string])[];
  readonly tool: string;
  readonly type: string;
  readonly data: string;
  readonly summary: string;
  readonly details: string;
}

interface Answer {
  readonly nth: number;
  readonly code: number;
  readonly stdout: string;
  readonly stderr?: string;
}

export interface Story {
  readonly context?: readonly [used: number | null, window: number | null];
  readonly branch: readonly Tagged[];
  readonly steps: readonly Tagged[];
}

/** What no story may lead to, as a terminal sees it. */
const DANGEROUS = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;

/** The answers of a component are at most so long, in bytes. */
const LONGEST_ANSWER = 32 * 1024;

export class StoryTeller {
  /** Faults of the component: there should be none. */
  readonly faults: string[] = [];
  readonly #capsule: Capsule;
  readonly #session = SessionManager.inMemory("/src/widget/crates");
  readonly #running: number[] = [];
  readonly #timers = new Map<number, number>();
  readonly #context: ExtensionContext;
  #used: number | null = null;
  #refuses = false;
  #now = 5_000;
  #lastId = 0;
  #calls = 0;

  constructor(component: Component) {
    const pi = {
      on: () => () => {},
      appendEntry: (type: string, data: unknown) => {
        this.#mayRefuse();
        return this.#session.appendCustomEntry(type, data);
      },
      sendMessage: () => this.#mayRefuse(),
      getSettings: () => ({}),
    };
    const ui = {
      notify: (text: string) => /failed in /.test(text) && this.faults.push(text),
      setStatus: (_key: string, text: string | undefined) => assert.doesNotMatch(text ?? "", DANGEROUS),
    };
    this.#context = {
      cwd: "/src/widget/crates",
      hasUI: true,
      sessionManager: this.#session,
      isIdle: () => true,
      hasPendingMessages: () => false,
      isProjectTrusted: () => false,
      getContextUsage: () => ({ tokens: this.#used, contextWindow: 200_000, percent: null }),
      compact: () => this.#mayRefuse(),
      ui,
    } as unknown as ExtensionContext;
    const adapted = {
      ...component,
      instantiate: (imports: ImportObject) => component.instantiate(this.#adapt(imports)),
    };
    this.#capsule = new Capsule(pi as unknown as ExtensionAPI, adapted, policy);
  }

  async tell({ context, branch, steps }: Story): Promise<void> {
    this.#used = context?.[0] ?? null;
    for (const entry of branch) this.#store(entry);
    await this.#start("startup");
    for (const step of steps) await this.#step(step);
    await this.#end();
    assert.deepEqual([...this.#timers.keys()], [], "no timer goes on after the end");
  }

  async #step(step: Tagged): Promise<void> {
    const [name, value] = parts(step);
    const how = String(value) as "completed";
    switch (name) {
      case "tool": {
        const { name: tool, arguments: args } = value as { name: string; arguments: string };
        return this.#tool(tool, args);
      }
      case "called": {
        const { id, tool, arguments: args } = value as { id: string; tool: string; arguments: string };
        const call = { callId: id, name: tool, arguments: args, cwd: this.#context.cwd };
        return this.#call((guest) => guest.toolObserver.toolCalled(call));
      }
      case "finished":
        return this.#call((guest) => guest.toolObserver.toolFinished(String(value), false));
      case "command": {
        const { name: command, arguments: args } = value as { name: string; arguments: string };
        return this.#call((guest) => guest.commands.run({ name: command, arguments: args, cwd: this.#context.cwd }));
      }
      case "answer": {
        const { nth, code, stdout, stderr } = value as Answer;
        const exit = { code, stdout: bytes(stdout), stderr: bytes(stderr ?? "") };
        return this.#answer(nth, { tag: "exited", val: exit });
      }
      case "timeOut":
        return this.#answer(Number(value), { tag: "timed-out" });
      case "stranger":
        if (this.#running.includes(Number(value))) return;
        return this.#call((guest) => guest.completions.subprocessFinished(Number(value), { tag: "timed-out" }));
      case "strayTimer":
        if (this.#timers.has(Number(value))) return;
        return this.#call((guest) => guest.completions.timerFired(Number(value)));
      case "refuse":
        this.#refuses = Boolean(value);
        return;
      case "wait":
        return this.#wait(Math.min(Number(value), 10_000_000));
      case "store":
        this.#store(value as Tagged);
        return;
      case "navigate":
        return this.#navigate(value as number | null);
      case "fill":
        this.#used = value as number | null;
        return;
      case "modelChanged":
        return this.#call((guest) => guest.lifecycle.modelChanged());
      case "contextRequested":
        return this.#call((guest) => guest.lifecycle.contextRequested());
      case "turnEnded":
        return this.#call((guest) => guest.lifecycle.turnEnded(how));
      case "agentEnded":
        return this.#call((guest) => guest.lifecycle.agentEnded(how));
      case "beforeSettle":
        return this.#call((guest) => void guest.lifecycle.beforeSettle());
      case "agentSettled":
        return this.#call((guest) => guest.lifecycle.agentSettled(how));
      case "beforeCompact": {
        const { aborted } = value as { aborted: boolean };
        const request = { reason: "threshold", willRetry: false, aborted } as const;
        return this.#call((guest) => void guest.lifecycle.beforeCompact(request));
      }
      case "compacted": {
        const entry = this.#session.getLeafId();
        if (entry === null) return;
        return this.#call((guest) => guest.lifecycle.compacted({ entry, reason: "manual", willRetry: false }));
      }
      case "compactionFailed": {
        const { aborted, message } = value as { aborted: boolean; message: string | null };
        const failure = { reason: "manual", aborted, ...(message === null ? {} : { message }) } as const;
        return this.#call((guest) => guest.lifecycle.compactionFailed(failure));
      }
      case "compactionFinished": {
        const { attempt, failure } = value as { attempt: number; failure: string | null };
        const outcome =
          failure === null
            ? ({ tag: "ok", val: undefined } as const)
            : ({ tag: "err", val: { tag: "failed", val: failure } } as const);
        return this.#call((guest) => guest.lifecycle.compactionFinished(attempt, outcome));
      }
      case "restart":
        await this.#end();
        return this.#start((value as { fork: boolean }).fork ? "fork" : "startup");
      default:
        throw new Error(`no story has a step ${name}`);
    }
  }

  async #tool(name: string, args: string): Promise<void> {
    this.#calls += 1;
    const invocation = { callId: String(this.#calls), name, arguments: args, cwd: this.#context.cwd };
    await this.#call((guest) => {
      let text: unknown;
      try {
        text = guest.tools.call(invocation).text;
      } catch (error) {
        if (typeof error !== "string") throw error;
        text = error;
      }
      assert.ok(Buffer.byteLength(String(text)) <= LONGEST_ANSWER);
    });
  }

  #store(entry: Tagged): unknown {
    const [name, value] = parts(entry);
    const given = value as StoredParts;
    const text = (said: string) => [{ type: "text", text: said }];
    const append = (message: object) => this.#session.appendMessage(message as never);
    switch (name) {
      case "user":
        return append({ role: "user", content: value });
      case "assistant": {
        const calls = given.calls.map(([called, args], index) => {
          return { type: "toolCall", id: String(index), name: called, arguments: parsed(args) };
        });
        return append({ role: "assistant", content: [...text(given.text), ...calls] });
      }
      case "result":
        return append({ role: "toolResult", toolCallId: "1", toolName: given.tool, content: text(given.text) });
      case "custom":
        return this.#session.appendCustomEntry(given.type, parsed(given.data));
      case "message":
        return this.#session.appendCustomMessageEntry(given.type, given.text, false);
      case "compaction": {
        const kept = this.#session.getLeafId() ?? "none";
        return this.#session.appendCompaction(given.summary, kept, 1, parsed(given.details));
      }
      case "edit":
        // Pi has none that an extension could ask for.
        return undefined;
      default:
        throw new Error(`no story has an entry ${name}`);
    }
  }

  #navigate(to: number | null): Promise<void> {
    const branch = this.#session.getBranch();
    const entry = to === null || branch.length === 0 ? undefined : branch[to % branch.length];
    if (entry === undefined) this.#session.resetLeaf();
    else this.#session.branch(entry.id);
    return this.#call((guest) => guest.lifecycle.branchChanged());
  }

  #answer(nth: number, outcome: Parameters<Guest["completions"]["subprocessFinished"]>[1]): Promise<void> {
    if (this.#running.length === 0) return Promise.resolve();
    const [id = 0] = this.#running.splice(nth % this.#running.length, 1);
    return this.#call((guest) => guest.completions.subprocessFinished(id, outcome));
  }

  async #wait(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
    const due = [...this.#timers].filter(([, at]) => at <= this.#now);
    for (const [id] of due) {
      this.#timers.delete(id);
      await this.#call((guest) => guest.completions.timerFired(id));
    }
  }

  #start(reason: "startup" | "fork"): Promise<void> {
    return this.#capsule.open(this.#context, "lifecycle.session-started", (guest) =>
      guest.lifecycle.sessionStarted(reason),
    );
  }

  #end(): Promise<void> {
    return this.#capsule.close("lifecycle.session-shut-down", (guest) => guest.lifecycle.sessionShutDown("quit"));
  }

  async #call(call: (guest: Guest) => void): Promise<void> {
    await this.#capsule.call("a step", call);
  }

  #mayRefuse(): void {
    if (this.#refuses) throw new Error("the host refuses");
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Processes and timers that only the story ends. */
  #adapt(imports: ImportObject): ImportObject {
    const clock = imports["pi:extension/clock@0.1.0"];
    return {
      ...imports,
      "pi:extension/subprocess@0.1.0": {
        start: () => {
          const id = this.#nextId();
          this.#running.push(id);
          return id;
        },
        cancel: (id) => {
          const at = this.#running.indexOf(id);
          if (at >= 0) this.#running.splice(at, 1);
        },
      },
      "pi:extension/clock@0.1.0": {
        ...clock,
        monotonicNow: () => BigInt(this.#now),
        startTimer: (delay) => {
          const id = this.#nextId();
          this.#timers.set(id, this.#now + delay);
          return id;
        },
        cancelTimer: (id) => void this.#timers.delete(id),
      },
    };
  }
}

/** The bytes that a text stands for: itself, and for each U+FFFD one that is not UTF-8. */
function bytes(text: string): Uint8Array {
  const parts = text.split("\ufffd").map((part) => Buffer.from(part));
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [Buffer.of(0xff), part])));
}

function parts(tagged: Tagged): readonly [name: string, value: unknown] {
  if (typeof tagged === "string") return [tagged, undefined];
  const [part] = Object.entries(tagged);
  if (part === undefined) throw new Error("an empty object is no step of a story");
  return part;
}

/** What Pi would hold: a value, whatever the text is. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
