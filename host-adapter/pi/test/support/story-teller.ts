/**
 * Tells a story of `fuzz/corpus/story` or `tests/conformance` to a component in Node: through the bindings and the imports
 * that Pi's sessions go through, with a session manager of Pi, and on a machine whose programs and timers the story ends.
 *
 * What a story is made of is written down in `tests/suite/world/story.rs`, which tells the same ones under wasmtime.
 */
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { type ExtensionAPI, type ExtensionContext, SessionManager } from "@earendil-works/pi-coding-agent";
import type { ImportObject } from "../../component/types/extension.js";
import type {
  CompactionContent,
  CompactionRequest,
  Draft,
} from "../../component/types/interfaces/pi-extension-lifecycle.js";
import { Capsule } from "../../src/capsule.ts";
import type { Component } from "../../src/component.ts";
import { boundaryResult, compactionResult } from "../../src/drafts.ts";
import { registerCommands } from "../../src/exports/commands.ts";
import { smallMembers } from "../../src/exports/tool-observer.ts";
import { registerTools } from "../../src/exports/tools.ts";
import type { Guest } from "../../src/host.ts";
import { policy } from "./policy.ts";
import { StoryEdges } from "./story-edges.ts";
import { StoryMachine } from "./story-machine.ts";

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
  /** The section `pi-context` of the person's and of the project's settings. */
  readonly settings?: readonly [global: string | null, project: string | null];
  readonly context?: readonly [used: number | null, window: number | null];
  readonly branch: readonly Tagged[];
  readonly steps: readonly Tagged[];
}

/** What the guest does and answers in a step. */
export interface Done {
  readonly does?: readonly string[];
  readonly answers?: unknown;
}

/** What it does in a story: at its beginning, in each step, and at its end. */
export interface Told {
  readonly begins: readonly string[];
  readonly steps: readonly Done[];
  readonly ends: readonly string[];
}

/** What no story may lead to, as a terminal sees it. */
const DANGEROUS = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;

/** The answer to a call in which the guest broke. */
export const BROKEN = "the guest broke";

/** The answers of a component are at most so long, in bytes. */
const LONGEST_ANSWER = 32 * 1024;

export class StoryTeller {
  /** Faults of the component: there should be none. */
  readonly faults: string[] = [];
  readonly #capsule: Capsule;
  readonly #session = SessionManager.inMemory("/src/widget/crates");
  readonly #edges: StoryEdges;
  readonly #machine: StoryMachine;
  readonly #pi: ExtensionAPI;
  readonly #context: ExtensionContext;
  /** The commands that were registered. */
  #commands: string[] = [];
  #used: number | null = null;
  #refuses = false;
  #calls = 0;

  constructor(component: Component, edges = new StoryEdges()) {
    this.#edges = edges;
    edges.entries = () => this.#session.getEntries().map((entry) => entry.id);
    this.#machine = new StoryMachine(edges.record);
    this.#pi = {
      // What waits for the person's first prompt has not to wait long.
      on: (event: string, handler: () => void) => {
        if (event === "before_agent_start") queueMicrotask(handler);
        return () => {};
      },
      appendEntry: (type: string, data: unknown) => {
        this.#mayRefuse();
        return this.#session.appendCustomEntry(type, data);
      },
      sendMessage: ({ customType, content }: { customType: string; content: string }) => {
        this.#mayRefuse();
        this.#session.appendCustomMessageEntry(customType, content, false);
      },
      registerTool: () => {},
      registerCommand: (name: string) => this.#commands.push(name),
      getSettings: () => ({}),
    } as unknown as ExtensionAPI;
    const ui = {
      notify: (text: string, level: string) => {
        // What the adapter itself has to say is in its own words.
        if (!text.startsWith("pi-capsule: ")) edges.record(`${level}: ${text}`);
        else if (/failed in /.test(text)) this.faults.push(text);
      },
      setStatus: (key: string, text: string | undefined) => {
        assert.doesNotMatch(text ?? "", DANGEROUS);
        edges.record(`status ${key}: ${text ?? "(none)"}`);
        this.#mayRefuse();
      },
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
    const instantiate = (imports: ImportObject): Guest => edges.watched(component.instantiate(edges.around(imports)));
    this.#capsule = new Capsule(this.#pi, { ...component, instantiate }, policy, this.#machine);
  }

  async tell({ settings, context, branch, steps }: Story): Promise<Told> {
    if (settings !== undefined) this.#machine.sections = settings;
    this.#used = context?.[0] ?? null;
    for (const entry of branch) this.#store(entry);
    await this.#start("startup");
    await this.#quiet();
    const begins = this.#edges.takeDone();
    const told: Done[] = [];
    for (const step of steps) {
      const answers = await this.#step(step);
      await this.#quiet();
      const does = this.#edges.takeDone();
      told.push({ ...(does.length > 0 && { does }), ...(answers !== undefined && { answers }) });
    }
    await this.#end();
    await this.#quiet();
    assert.deepEqual(this.#machine.busy, [0, 0], "nothing goes on after the end");
    return { begins, steps: told, ends: this.#edges.takeDone() };
  }

  /** Gives what the guest answers, where it is asked. */
  async #step(step: Tagged): Promise<unknown> {
    const [name, value] = parts(step);
    const how = String(value) as "completed";
    switch (name) {
      case "tool": {
        const { name: tool, arguments: args } = value as { name: string; arguments: string };
        return this.#tool(tool, args);
      }
      case "called": {
        const { id, tool, arguments: args } = value as { id: string; tool: string; arguments: string };
        const call = { callId: id, name: tool, arguments: shortened(args), cwd: this.#context.cwd };
        return this.#call((guest) => guest.toolObserver.toolCalled(call));
      }
      case "finished":
        return this.#call((guest) => guest.toolObserver.toolFinished(String(value), false));
      case "command": {
        const { name: command, arguments: args } = value as { name: string; arguments: string };
        return this.#call((guest) => guest.commands.run({ name: command, arguments: args, cwd: this.#context.cwd }));
      }
      case "tools":
        return [...registerTools(this.#pi, this.#capsule)];
      case "commands":
        this.#commands = [];
        registerCommands(this.#pi, this.#capsule);
        return this.#commands;
      case "complete": {
        const { name: command, typed } = value as { name: string; typed: string };
        return this.#call((guest) => guest.commands.complete(command, typed).map((completion) => completion.value));
      }
      case "answer": {
        const { nth, code, stdout, stderr } = value as Answer;
        const exit = { code, stdout: bytes(stdout), stderr: bytes(stderr ?? "") };
        return this.#machine.end(nth, { tag: "exited", val: exit });
      }
      case "timeOut":
        return this.#machine.end(Number(value), { tag: "timed-out" });
      case "outputLimit":
        return this.#machine.end(Number(value), { tag: "output-limit" });
      case "stranger":
        if (this.#edges.programs.has(Number(value))) return;
        return this.#call((guest) => guest.completions.subprocessFinished(Number(value), { tag: "timed-out" }));
      case "strayTimer":
        if (this.#edges.timers.has(Number(value))) return;
        return this.#call((guest) => guest.completions.timerFired(Number(value)));
      case "refuse":
        this.#refuses = Boolean(value);
        this.#machine.isUnreadable = this.#refuses;
        return;
      case "wait":
        return this.#machine.elapse(Math.min(Number(value), 10_000_000));
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
        return boundaryJson(this.#capsule, await this.#call((guest) => guest.lifecycle.beforeSettle()));
      case "agentSettled":
        return this.#call((guest) => guest.lifecycle.agentSettled(how));
      case "beforeCompact": {
        const { reason = "threshold", aborted } = value as Pick<CompactionRequest, "aborted"> &
          Partial<CompactionRequest>;
        const request = { reason, willRetry: false, aborted };
        return decisionJson(this.#capsule, await this.#call((guest) => guest.lifecycle.beforeCompact(request)));
      }
      case "compacted": {
        const entry = this.#session.getLeafId();
        if (entry === null) return;
        const event = { entry: this.#edges.nameOf(entry), reason: "manual", willRetry: false } as const;
        return this.#call((guest) => guest.lifecycle.compacted(event));
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

  async #tool(name: string, args: string): Promise<unknown> {
    this.#calls += 1;
    const invocation = { callId: String(this.#calls), name, arguments: args, cwd: this.#context.cwd };
    const answer = await this.#call((guest) => {
      try {
        const { text, terminate } = guest.tools.call(invocation);
        assert.ok(Buffer.byteLength(text) <= LONGEST_ANSWER);
        return { ok: text, ...(terminate && { terminate }) };
      } catch (error) {
        if (typeof error !== "string") throw error;
        assert.ok(Buffer.byteLength(error) <= LONGEST_ANSWER);
        return { error };
      }
    });
    return answer ?? { error: BROKEN };
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

  /** Waits until nothing is left to deliver. */
  async #quiet(): Promise<void> {
    for (let calls = -1; calls !== this.#edges.calls; ) {
      calls = this.#edges.calls;
      await setImmediate();
    }
  }

  #start(reason: "startup" | "fork"): Promise<void> {
    return this.#capsule.open(this.#context, "lifecycle.session-started", (guest) =>
      guest.lifecycle.sessionStarted(reason),
    );
  }

  async #end(): Promise<void> {
    await this.#capsule.close("lifecycle.session-shut-down", (guest) => guest.lifecycle.sessionShutDown("quit"));
    this.#edges.forget();
  }

  #call<T>(call: (guest: Guest) => T): Promise<T | undefined> {
    return this.#capsule.call("a step", call);
  }

  #mayRefuse(): void {
    if (this.#refuses) throw new Error("the host refuses");
  }
}

/** A boundary that the adapter goes by. */
function boundaryJson({ host }: Capsule, boundary: ReturnType<Guest["lifecycle"]["beforeSettle"]>): unknown {
  if (boundary === undefined || boundaryResult(host, [], boundary) === undefined) return "none";
  const drafts = boundary.drafts.map(draftJson);
  return { drafts, continueRun: boundary.continueRun };
}

function draftJson({ tag, val }: Draft): unknown {
  switch (tag) {
    case "custom":
      return { custom: { type: val.customType, data: val.data } };
    case "message":
      return { message: { type: val.customType, text: val.text } };
    case "compaction":
      return { compaction: contentJson(val) };
  }
}

/** A decision that the adapter goes by. */
function decisionJson(
  { host }: Capsule,
  decision: ReturnType<Guest["lifecycle"]["beforeCompact"]> | undefined,
): unknown {
  switch (decision?.tag) {
    case "replace":
      return compactionResult(host, decision.val, 0) === undefined
        ? "noOpinion"
        : { replace: contentJson(decision.val) };
    case "cancel":
      return "cancel";
    default:
      return "noOpinion";
  }
}

/** The arguments as a guest is told of them. */
function shortened(args: string): string {
  const value = parsed(args);
  return typeof value === "object" && value !== null ? smallMembers(value) : args;
}

function contentJson({ summary, firstKept, details }: CompactionContent): unknown {
  return { summary, firstKept: firstKept ?? null, details };
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
