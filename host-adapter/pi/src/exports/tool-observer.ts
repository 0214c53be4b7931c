/**
 * `tool-observer`: what other tools do.
 *
 * Pi reports the call once its arguments are final (`tool_call`) and the end of every call (`tool_execution_end`), also
 * of those that were blocked, or never got as far as `tool_call`; the guest hears the end of what it heard the start of.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Capsule } from "../capsule.ts";
import { jsonText } from "../text.ts";

/** Members of the arguments that take more than this are file contents, which are none of the guest's business. */
const LARGEST_MEMBER = 16 * 1024;

export function observeTools(pi: ExtensionAPI, capsule: Capsule, ownTools: ReadonlySet<string>): void {
  /** The calls that the guest has heard of and that have not ended. */
  const open = new Set<string>();

  pi.on("tool_call", async ({ toolCallId, toolName, input }, { cwd }) => {
    if (ownTools.has(toolName)) return;
    open.add(toolCallId);
    const call = { callId: toolCallId, name: toolName, arguments: smallMembers(input), cwd };
    await capsule.call("tool-observer.tool-called", (guest) => guest.toolObserver.toolCalled(call));
  });

  pi.on("tool_execution_end", async ({ toolCallId, isError }) => {
    if (!open.delete(toolCallId)) return;
    await capsule.call("tool-observer.tool-finished", (guest) => guest.toolObserver.toolFinished(toolCallId, isError));
  });
}

/** The JSON of the arguments, without what is too large to be a path or a command. */
export function smallMembers(input: object): string {
  const members = Object.entries(input)
    .map(([name, value]) => [jsonText(name), jsonText(value)] as const)
    .filter(([, json]) => json !== undefined && Buffer.byteLength(json) <= LARGEST_MEMBER);
  return `{${members.map(([name, json]) => `${name}:${json}`).join(",")}}`;
}
