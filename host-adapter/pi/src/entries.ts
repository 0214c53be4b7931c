/**
 * What a guest is told of a Pi session entry: its header, and its body on demand.
 *
 * One entry at a time. Which entries are on the active branch is decided in `branch.ts`. Session files can hold anything,
 * and the bindings take nothing but what the types say; so a member of another type counts as empty or absent, and an
 * entry that makes no sense is one of a kind without content. One bad entry must not stop the guest.
 */
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import type { Body, Content, Entry, EntryKind } from "../component/types/interfaces/pi-extension-session-reader.js";
import { jsonText } from "./text.ts";

/** Whether a guest may see the data of custom entries of this type. */
export type DataFilter = (customType: string) => boolean;

/** A message's content. */
type Parts = string | readonly Part[] | null | undefined;
interface Part {
  readonly type: string;
  readonly text?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
}

/** The header of an entry. */
export function header(entry: SessionEntry, mayReadData: DataFilter): Entry {
  const time = Date.parse(entry.timestamp);
  const kind = kindOf(entry, mayReadData);
  return Number.isNaN(time) ? { id: entry.id, kind } : { id: entry.id, createdAt: BigInt(time), kind };
}

function kindOf(entry: SessionEntry, mayReadData: DataFilter): EntryKind {
  switch (entry.type) {
    case "message":
      return typeof entry.message?.role === "string" ? messageKind(entry.message) : other(entry);
    case "compaction":
      return { tag: "compaction", val: jsonText(entry.details) };
    case "branch_summary":
      return { tag: "branch-summary" };
    case "custom": {
      const customType = string(entry.customType);
      const data = mayReadData(customType) ? jsonText(entry.data) : undefined;
      return { tag: "custom", val: data === undefined ? { customType } : { customType, data } };
    }
    case "custom_message":
      return customMessage(entry);
    case "context_edit": {
      const { targetId: target, replacement } = entry;
      if (typeof target !== "string") return other(entry);
      const val = replacement ? { target, replacement: contentOf(replacement.content) } : { target };
      return { tag: "context-edit", val };
    }
    default:
      return other(entry);
  }
}

function other({ type }: { readonly type: string }): EntryKind {
  return { tag: "other", val: string(type) };
}

function customMessage({ customType, content }: { readonly customType: string; readonly content: Parts }): EntryKind {
  return { tag: "custom-message", val: { customType: string(customType), hasText: hasText(content) } };
}

function messageKind(message: Extract<SessionEntry, { type: "message" }>["message"]): EntryKind {
  switch (message.role) {
    case "user":
      return { tag: "message", val: { tag: "user", val: { hasText: hasText(message.content), toolCalls: [] } } };
    case "assistant":
      return { tag: "message", val: { tag: "assistant", val: contentOf(message.content) } };
    case "toolResult": {
      const toolName = string(message.toolName);
      const isError = message.isError === true;
      const val = { toolName, isError, hasText: hasText(message.content) };
      return { tag: "message", val: { tag: "tool-result", val } };
    }
    case "bashExecution": {
      const hiddenFromModel = message.excludeFromContext === true;
      const execution = { truncated: message.truncated === true, hiddenFromModel };
      const fullOutputPath = string(message.fullOutputPath);
      return {
        tag: "message",
        val: { tag: "bash-execution", val: fullOutputPath ? { ...execution, fullOutputPath } : execution },
      };
    }
    case "custom":
      // Where sessions of early versions kept what is a `custom_message` entry now.
      return customMessage(message);
    default:
      return { tag: "message", val: { tag: "other", val: message.role } };
  }
}

/** The body of an entry; `undefined` for kinds that have none. */
export function bodyOf(entry: SessionEntry): Body | undefined {
  switch (entry.type) {
    case "message":
      return entry.message && messageBody(entry.message);
    case "compaction":
    case "branch_summary":
      return textBody(entry.summary);
    case "custom_message":
      return contentBody(entry.content);
    case "context_edit":
      return entry.replacement ? contentBody(entry.replacement.content) : undefined;
    default:
      return undefined;
  }
}

function messageBody(message: Extract<SessionEntry, { type: "message" }>["message"]): Body | undefined {
  switch (message.role) {
    case "user":
    case "assistant":
    case "toolResult":
    case "custom":
      return contentBody(message.content);
    case "bashExecution":
      return textBody(message.command, message.output);
    default:
      return undefined;
  }
}

function contentOf(parts: Parts): Content {
  return {
    hasText: hasText(parts),
    toolCalls: partsOf(parts)
      .filter(isToolCall)
      .map(({ name }) => string(name)),
  };
}

function contentBody(parts: Parts): Body {
  if (typeof parts === "string") return textBody(parts);
  const body: Body = { textParts: [], toolCalls: [] };
  for (const part of partsOf(parts)) {
    if (isText(part)) body.textParts.push(part.text.toWellFormed());
    else if (isToolCall(part)) body.toolCalls.push(toolCall(part));
  }
  return body;
}

function toolCall(part: Part): Body["toolCalls"][number] {
  return { name: string(part.name).toWellFormed(), arguments: jsonText(part.arguments) ?? "null" };
}

function textBody(...parts: readonly unknown[]): Body {
  const texts = parts.filter((part) => typeof part === "string");
  return { textParts: texts.map((text) => text.toWellFormed()), toolCalls: [] };
}

function hasText(parts: Parts): boolean {
  if (typeof parts === "string") return parts !== "";
  return partsOf(parts).some((part) => isText(part) && part.text !== "");
}

function isText(part: Part | null): part is Part & { readonly text: string } {
  return part?.type === "text" && typeof part.text === "string";
}

function isToolCall(part: Part | null): part is Part {
  return part?.type === "toolCall";
}

function partsOf(parts: Parts): readonly (Part | null)[] {
  return Array.isArray(parts) ? parts : [];
}

function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}
