/**
 * A Pi extension with a model that follows orders: it makes the real agent loop run without a network.
 *
 * A prompt `call <tool> <JSON arguments>` becomes that tool call, and `Read <path>` a call of `read`; everything else
 * gets a short answer. In RPC mode it also marks the beginning of the session, as a status line of its own, for those
 * who measure what follows.
 */
import {
  type FauxResponseFactory,
  fauxAssistantMessage,
  fauxProvider,
  fauxText,
  fauxToolCall,
} from "@earendil-works/pi-ai";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** The status line that holds the time at which the session began, in milliseconds. */
export const BEGIN_KEY = "scripted-model-begin";

/** More answers than a test asks for. */
const ANSWERS = 200;

const answer: FauxResponseFactory = ({ messages }) => {
  const last = messages.at(-1);
  const order = last?.role === "user" ? orderIn(textOf(last.content)) : undefined;
  return order === undefined
    ? fauxAssistantMessage(fauxText("Done."))
    : fauxAssistantMessage(order, { stopReason: "toolUse" });
};

function orderIn(prompt: string): ReturnType<typeof fauxToolCall> | undefined {
  const [, tool, json] = /^call (\w+) (.*)$/s.exec(prompt) ?? [];
  if (tool !== undefined && json !== undefined) return fauxToolCall(tool, JSON.parse(json));
  const [, path] = /^Read (\S+)$/.exec(prompt) ?? [];
  return path === undefined ? undefined : fauxToolCall("read", { path });
}

function textOf(content: string | readonly { readonly type: string; readonly text?: string }[]): string {
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
}

export default function scriptedModel(pi: ExtensionAPI): void {
  const model = fauxProvider({
    provider: "scripted",
    models: [{ id: "scripted-1", name: "Scripted", contextWindow: 200_000 }],
  });
  model.setResponses(Array.from({ length: ANSWERS }, () => answer));
  pi.registerProvider(model.provider);
  pi.on("session_start", (_event, context) => {
    if (context.mode === "rpc") context.ui.setStatus(BEGIN_KEY, String(performance.timeOrigin + performance.now()));
  });
}
