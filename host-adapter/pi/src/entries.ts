/**
 * What a guest is told of a Pi session entry: its header, and its body on demand.
 *
 * One entry at a time. Which entries are on the active branch is decided in `branch.ts`.
 */
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import type { Body, Content, Entry, EntryKind } from "../component/types/interfaces/pi-extension-session-reader.js";
import { jsonText } from "./text.ts";

/** Whether a guest may see the data of custom entries of this type. */
export type DataFilter = (customType: string) => boolean;

/** A message's content. Files can hold anything, so what a part is made of is not taken for granted. */
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

/** How much JSON a header carries, in UTF-8 bytes. */
export function jsonBytes({ kind }: Entry): number {
  if (kind.tag === "custom") return Buffer.byteLength(kind.val.data ?? "");
  return kind.tag === "compaction" ? Buffer.byteLength(kind.val ?? "") : 0;
}

function kindOf(entry: SessionEntry, mayReadData: DataFilter): EntryKind {
  switch (entry.type) {
    case "message":
      return messageKind(entry.message);
    case "compaction":
      return { tag: "compaction", val: jsonText(entry.details) };
    case "branch_summary":
      return { tag: "branch-summary" };
    case "custom": {
      const data = mayReadData(entry.customType) ? jsonText(entry.data) : undefined;
      const { customType } = entry;
      return { tag: "custom", val: data === undefined ? { customType } : { customType, data } };
    }
    case "custom_message":
      return { tag: "custom-message", val: { customType: entry.customType, hasText: hasText(entry.content) } };
    case "context_edit": {
      const target = entry.targetId;
      const { replacement } = entry;
      return {
        tag: "context-edit",
        val: replacement === null ? { target } : { target, replacement: contentOf(replacement.content) },
      };
    }
    default:
      return { tag: "other", val: entry.type };
  }
}

function messageKind(message: Extract<SessionEntry, { type: "message" }>["message"]): EntryKind {
  switch (message.role) {
    case "user":
      return { tag: "message", val: { tag: "user", val: { hasText: hasText(message.content), toolCalls: [] } } };
    case "assistant":
      return { tag: "message", val: { tag: "assistant", val: contentOf(message.content) } };
    case "toolResult": {
      const { toolName, isError, content } = message;
      return { tag: "message", val: { tag: "tool-result", val: { toolName, isError, hasText: hasText(content) } } };
    }
    case "bashExecution": {
      const execution = { truncated: message.truncated, hiddenFromModel: message.excludeFromContext ?? false };
      const { fullOutputPath } = message;
      return {
        tag: "message",
        val: { tag: "bash-execution", val: fullOutputPath ? { ...execution, fullOutputPath } : execution },
      };
    }
    case "custom":
      // Where sessions of early versions kept what is a `custom_message` entry now.
      return { tag: "custom-message", val: { customType: message.customType, hasText: hasText(message.content) } };
    default:
      return { tag: "message", val: { tag: "other", val: message.role } };
  }
}

/** The body of an entry; `undefined` for kinds that have none. */
export function bodyOf(entry: SessionEntry): Body | undefined {
  switch (entry.type) {
    case "message":
      return messageBody(entry.message);
    case "compaction":
    case "branch_summary":
      return textBody(entry.summary);
    case "custom_message":
      return contentBody(entry.content);
    case "context_edit":
      return entry.replacement === null ? undefined : contentBody(entry.replacement.content);
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

/** How much text a body carries. In UTF-16 units: bounding a page needs no more than that. */
export function bodySize({ textParts, toolCalls }: Body): number {
  const text = textParts.reduce((sum, part) => sum + part.length, 0);
  return toolCalls.reduce((sum, call) => sum + call.arguments.length, text);
}

function contentOf(parts: Parts): Content {
  return { hasText: hasText(parts), toolCalls: toolCallParts(parts).map(({ name }) => name) };
}

function contentBody(parts: Parts): Body {
  return {
    ...textBody(...textParts(parts)),
    toolCalls: toolCallParts(parts).map((call) => ({
      name: call.name.toWellFormed(),
      arguments: jsonText(call.arguments) ?? "null",
    })),
  };
}

function textBody(...parts: readonly string[]): Body {
  return { textParts: parts.map((part) => part.toWellFormed()), toolCalls: [] };
}

function hasText(parts: Parts): boolean {
  return textParts(parts).some((text) => text !== "");
}

function textParts(parts: Parts): readonly string[] {
  if (typeof parts === "string") return [parts];
  return partsOf(parts, "text").map(({ text }) => String(text ?? ""));
}

function toolCallParts(parts: Parts): readonly { readonly name: string; readonly arguments: unknown }[] {
  if (typeof parts === "string") return [];
  return partsOf(parts, "toolCall").map((part) => ({ name: String(part.name), arguments: part.arguments }));
}

function partsOf(parts: readonly (Part | null)[] | null | undefined, type: string): readonly Part[] {
  return (parts ?? []).filter((part): part is Part => part?.type === type);
}
