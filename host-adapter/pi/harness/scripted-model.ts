/**
 * A Pi extension with a model that follows orders: it makes the real agent loop run without a network.
 *
 * The first line of a prompt can be an order; the rest of it is ballast.
 *
 * - `Read <path>` becomes a call of `read`, and `call <tool> <JSON arguments>` a call of that tool.
 * - `script <JSON array>` lists what the model does, one {@link Step} for each request. The list goes on through
 *   whatever happens to the context, and a later order replaces it.
 *
 * Everything else gets a short answer; before any order, the steps that `SCRIPTED_MODEL_STEPS` lists. Every request that reaches the model is written down, as one line of JSON, to
 * the file that `SCRIPTED_MODEL_REQUESTS` names. In RPC mode status lines tell when the session began, for those who
 * measure what follows, and which held request waits for the command `/go-on`.
 */
import { appendFileSync } from "node:fs";
import {
  type AssistantMessage,
  type FauxResponseFactory,
  fauxAssistantMessage,
  fauxProvider,
  fauxText,
  fauxToolCall,
} from "@earendil-works/pi-ai";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";

/** The status line that holds the time at which the session began, in milliseconds. */
export const BEGIN_KEY = "scripted-model-begin";

/** The status line that holds the name of the request that waits. */
export const HELD_KEY = "scripted-model-held";

/** What the model does with one request. */
export interface Step {
  /** The tools it calls, each with its arguments. */
  readonly call?: readonly (readonly [tool: string, args: JsonObject])[];
  /** What it says. By default something short. */
  readonly say?: string;
  /** How many tokens it claims to have used. By default an estimate from the length of the texts. */
  readonly used?: number;
  /** It refuses the request as too long. */
  readonly overflow?: boolean;
  /** It waits, under this name, until `/go-on` is typed or the run is stopped. */
  readonly hold?: string;
}

type Request = Parameters<FauxResponseFactory>[0];
type JsonObject = Parameters<typeof fauxToolCall>[1];

/** More answers than a test asks for. */
const ANSWERS = 200;

export default function scriptedModel(pi: ExtensionAPI): void {
  const script = new Script();
  const gate = new Gate();
  /** What the latest answer claims. The provider estimates its usage itself, so this is put in afterwards. */
  let claimed: number | undefined;

  const answer: FauxResponseFactory = async (request, options) => {
    writeDown(request);
    const step = script.next(request);
    if (step.hold !== undefined) await gate.hold(step.hold, options?.signal);
    claimed = step.used;
    return answerOf(step);
  };
  const model = fauxProvider({
    provider: "scripted",
    models: [
      { id: "scripted-1", name: "Scripted", contextWindow: 200_000 },
      { id: "scripted-small", name: "Scripted with a small window", contextWindow: 32_000 },
    ],
  });
  model.setResponses(Array.from({ length: ANSWERS }, () => answer));
  pi.registerProvider(model.provider);
  pi.registerCommand("go-on", { description: "Lets the scripted model answer", handler: async () => gate.open() });

  pi.on("session_start", (_event, context) => {
    if (context.mode !== "rpc") return;
    gate.ui = context.ui;
    context.ui.setStatus(BEGIN_KEY, String(performance.timeOrigin + performance.now()));
  });
  pi.on("message_end", ({ message }) => {
    if (message.role !== "assistant" || claimed === undefined) return undefined;
    const usage = { ...message.usage, input: claimed, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: claimed };
    return { message: { ...message, usage } };
  });
  pi.on("agent_settled", ({ aborted }) => {
    if (aborted) script.drop();
  });
}

/** The steps that are still to come. */
class Script {
  #steps: Step[] = JSON.parse(process.env.SCRIPTED_MODEL_STEPS ?? "[]");
  /** When the order that is being followed was given. It can be seen again, in a request that is repeated. */
  #ordered = 0;

  next({ messages }: Request): Step {
    const answered = messages.findLastIndex(({ role }) => role === "assistant");
    for (const message of messages.slice(answered + 1)) {
      if (message.role !== "user" || message.timestamp <= this.#ordered) continue;
      const steps = orderIn(textOf(message.content));
      if (steps === undefined) continue;
      this.#steps = steps;
      this.#ordered = message.timestamp;
    }
    return this.#steps.shift() ?? {};
  }

  /** Forgets what a run that was stopped had still to do. */
  drop(): void {
    this.#steps = [];
  }
}

/** Where a request waits. */
class Gate {
  ui: ExtensionContext["ui"] | undefined;
  #open: (() => void) | undefined;

  async hold(name: string, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open = resolve;
    signal?.addEventListener("abort", () => resolve(), { once: true });
    this.ui?.setStatus(HELD_KEY, name);
    await promise;
    this.ui?.setStatus(HELD_KEY, undefined);
  }

  open(): void {
    this.#open?.();
  }
}

function answerOf({ call = [], say, overflow }: Step): AssistantMessage {
  if (overflow) return fauxAssistantMessage([], { stopReason: "error", errorMessage: "prompt is too long" });
  const calls = call.map(([tool, args]) => fauxToolCall(tool, args));
  if (calls.length === 0) return fauxAssistantMessage(fauxText(say ?? "Done."));
  return fauxAssistantMessage([...(say === undefined ? [] : [fauxText(say)]), ...calls], { stopReason: "toolUse" });
}

function orderIn(prompt: string): Step[] | undefined {
  const [line = ""] = prompt.split("\n", 1);
  const [, json] = /^script (.*)$/.exec(line) ?? [];
  if (json !== undefined) return JSON.parse(json);
  const [, tool, args] = /^call (\w+) (.*)$/.exec(line) ?? [];
  if (tool !== undefined && args !== undefined) return [{ call: [[tool, JSON.parse(args)]] }];
  const [, path] = /^Read (\S+)$/.exec(line) ?? [];
  return path === undefined ? undefined : [{ call: [["read", { path }]] }];
}

function textOf(content: string | readonly { readonly type: string; readonly text?: string }[]): string {
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
}

function writeDown(request: Request): void {
  const file = process.env.SCRIPTED_MODEL_REQUESTS;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(request)}\n`);
}
