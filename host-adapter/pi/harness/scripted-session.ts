/**
 * The real Pi with this extension, the scripted model and a rival, in a world of its own, and all that can be seen of
 * it from outside: what the model was sent, what is in the session file, what the person was told.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ALONE, FAULTY, PACKAGE, scriptedModel, WITH_EXTENSION } from "./pi-command.ts";
import { RIVAL_KEY } from "./rival.ts";
import { RpcPi } from "./rpc.ts";
import { HELD_KEY, type Step } from "./scripted-model.ts";
import { type SessionLine, Workspace } from "./workspace.ts";

/** A message as the provider got it. */
export interface Told {
  readonly role: string;
  readonly text: string;
}

/** What the person was told, with its level. */
export interface Notice {
  readonly level: string;
  readonly text: string;
}

/** The answer to a tool call. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
}

/** A compaction that is a reset of this extension. */
export interface ResetLine extends SessionLine {
  readonly details: { readonly piContext: string; readonly windowId: string };
}

export interface SessionOptions {
  /** Pi's settings. By default Pi keeps nothing back when it compacts, so that a short session can be compacted. */
  readonly settings?: object;
  /** Which of the scripted models. */
  readonly model?: string;
  /** How the component shall fail, as `faulty.ts` takes it. By default it does not. */
  readonly fault?: string;
  /** More options of the `pi` command. */
  readonly args?: readonly string[];
  /** What is to be done to the workspace before Pi starts. */
  readonly prepare?: (workspace: Workspace) => void;
}

const COMPACT_ALL = { compaction: { keepRecentTokens: 1 } };

export class ScriptedSession {
  readonly workspace = new Workspace();
  readonly #model: string;
  readonly #args: readonly string[];
  readonly #fault: string | undefined;
  readonly #all: RpcPi[] = [];

  constructor({ settings = COMPACT_ALL, model = "scripted-1", args = [], fault, prepare }: SessionOptions = {}) {
    this.#model = model;
    this.#args = args;
    this.#fault = fault;
    this.workspace.createRepository();
    this.workspace.configure(settings);
    prepare?.(this.workspace);
    this.#start();
  }

  /** The Pi that runs now. */
  get pi(): RpcPi {
    const pi = this.#all.at(-1);
    if (pi === undefined) throw new Error("no Pi was started");
    return pi;
  }

  /** What went wrong in an extension, or made Pi complain. */
  get troubles(): readonly string[] {
    return this.#all.flatMap(({ records, errors }) => [
      ...records.filter(({ type }) => type === "extension_error").map((record) => JSON.stringify(record)),
      ...(errors === "" ? [] : [errors]),
    ]);
  }

  /** Ends Pi and goes on with the stored session in a new one. */
  async restart(): Promise<void> {
    await this.pi.stop();
    this.#start("--session", this.workspace.sessionFile);
  }

  /** Ends everything. */
  async close(): Promise<void> {
    await this.pi.stop();
    this.workspace.remove();
  }

  /** Types a text and waits until the agent has settled; a command that starts no run is only waited for itself. */
  async type(text: string): Promise<void> {
    await this.pi.prompt(text);
  }

  /** Gives the model its steps and waits until the agent has settled. `ballast` makes the prompt long. */
  async run(steps: readonly Step[], ballast = ""): Promise<void> {
    await this.type(`${script(steps)}${ballast}`);
  }

  /** Gives the model its steps and waits for the one that holds. What it returns waits until the agent has settled. */
  async runUntilHeld(steps: readonly Step[]): Promise<() => Promise<void>> {
    return this.#begin(steps, HELD_KEY);
  }

  /** As {@link runUntilHeld}, but waits for the rival to hold something up. */
  async runUntilRivalHolds(steps: readonly Step[]): Promise<() => Promise<void>> {
    return this.#begin(steps, RIVAL_KEY);
  }

  /** Lets the model call one tool. */
  async call(tool: string, args: object = {}): Promise<ToolAnswer> {
    const before = this.pi.records.length;
    await this.type(`call ${tool} ${JSON.stringify(args)}`);
    const end = await this.pi.record("the end of the call", ({ type }) => type === "tool_execution_end", before);
    const { content } = end.result as { content: readonly [{ readonly text: string }] };
    return { isError: end.isError as boolean, text: content[0].text };
  }

  /** What a tool of this extension answers, which is JSON. */
  async ask<T>(tool: string, args: object = {}): Promise<T> {
    const { isError, text } = await this.call(tool, args);
    if (isError) throw new Error(`${tool} failed: ${text}`);
    return JSON.parse(text) as T;
  }

  /** All that the model was sent so far, request by request. */
  get requests(): readonly (readonly Told[])[] {
    return this.#rawRequests.map((messages) => messages.map(told));
  }

  /** The names of the tools that the latest request offers to the model. */
  get offeredTools(): readonly string[] {
    const messages = this.#rawRequests.at(-1) ?? [];
    return messages.flatMap(({ toolsAdded = [] }) => toolsAdded.map(({ name }) => name));
  }

  /** The latest request, without the system prompt. */
  get lastRequest(): readonly Told[] {
    return this.requests.at(-1)?.filter(({ role }) => role !== "system") ?? [];
  }

  /** The entries of the session file. */
  get entries(): readonly SessionLine[] {
    return this.workspace.sessionLines();
  }

  /** The entries of one type: Pi's, or the extension's own. */
  entriesOf(type: string): readonly SessionLine[] {
    return this.entries.filter((entry) => entry.type === type || entry.customType === type);
  }

  /** The resets that are in the session file, on whatever branch. */
  get resets(): readonly ResetLine[] {
    const compactions = this.entriesOf("compaction") as readonly ResetLine[];
    return compactions.filter(({ details }) => details?.piContext === "reset-v2");
  }

  /** The windows of the active branch, as the model sees them: the active one first. */
  async windows(): Promise<readonly string[]> {
    const { windows } = await this.ask<{ windows: { window_id: string }[] }>("history_list_windows");
    return windows.map(({ window_id }) => window_id);
  }

  /** What the running Pi has told the person, or only what fits. */
  async notices(pattern = /(?:)/): Promise<readonly Notice[]> {
    await this.pi.command("get_state"); // Pi answers in order: what it had to say has come by then.
    return this.pi.records
      .filter(({ method }) => method === "notify")
      .map(({ notifyType, message }) => ({ level: notifyType as string, text: message as string }))
      .filter(({ text }) => pattern.test(text));
  }

  async #begin(steps: readonly Step[], key: string): Promise<() => Promise<void>> {
    const before = this.pi.records.length;
    await this.pi.command("prompt", { message: script(steps) });
    await this.pi.status(key, (text) => text !== undefined, before);
    return async () => {
      await this.pi.record("the agent to settle", ({ type }) => type === "agent_settled", before);
    };
  }

  get #rawRequests(): readonly (readonly RawMessage[])[] {
    if (!existsSync(this.#requestFile)) return [];
    const lines = readFileSync(this.#requestFile, "utf8").trimEnd().split("\n");
    return lines.map((line) => (JSON.parse(line) as { messages: RawMessage[] }).messages);
  }

  get #requestFile(): string {
    return join(this.workspace.directory, "requests.jsonl");
  }

  #start(...args: readonly string[]): void {
    const rival = ["--extension", join(PACKAGE, "harness/rival.ts")];
    const extension = this.#fault === undefined ? WITH_EXTENSION : FAULTY;
    const flags = [...ALONE, ...scriptedModel(this.#model), ...extension, ...rival, ...this.#args];
    const pi = new RpcPi({
      cwd: this.workspace.repository,
      environment: this.workspace.environment({
        SCRIPTED_MODEL_REQUESTS: this.#requestFile,
        ...(this.#fault === undefined ? {} : { FAULT: this.#fault }),
      }),
      args: [...flags, "--session-dir", this.workspace.sessions, ...args],
    });
    this.#all.push(pi);
  }
}

interface RawMessage {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly text?: string; readonly name?: string }[];
  /** Of a system message. */
  readonly toolsAdded?: readonly { readonly name: string }[];
}

function told({ role, content }: RawMessage): Told {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return { role, text: parts.map((part) => part.text ?? ("name" in part ? part.name : part.type)).join("\n") };
}

function script(steps: readonly Step[]): string {
  return `script ${JSON.stringify(steps)}\n`;
}
