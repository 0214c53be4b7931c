/**
 * `tools`: the guest's tools, as Pi's.
 */
import type { ExtensionAPI, ToolDefinition } from "@earendil-works/pi-coding-agent";
import type * as Tools from "../../component/types/interfaces/pi-extension-tools.js";
import type { Capsule } from "../capsule.ts";
import { mayRegister } from "../imports/failure.ts";
import { refuseTool } from "../policy.ts";
import { jsonText } from "../text.ts";

/** Registers the tools of the guest that the policy allows. Returns their names. */
export function registerTools(pi: ExtensionAPI, capsule: Capsule): ReadonlySet<string> {
  const listed = capsule.describe((guest) => guest.tools.definitions());
  const definitions = listed.filter(({ name }) => mayRegister(capsule, "tool", refuseTool(capsule.host.policy, name)));
  for (const definition of definitions) pi.registerTool(piTool(capsule, definition));
  return new Set(definitions.map(({ name }) => name));
}

function piTool(capsule: Capsule, definition: Tools.Definition): ToolDefinition {
  const { name, label, description, promptSnippet, execution } = definition;
  return {
    name,
    label,
    description,
    parameters: JSON.parse(definition.parameters),
    executionMode: execution,
    ...(promptSnippet === undefined ? {} : { promptSnippet }),
    execute: async (callId, args, _signal, _onUpdate, context) => {
      const invocation = { callId, name, arguments: jsonText(args) ?? "{}", cwd: context.cwd };
      const result = await capsule.call("tools.call", (guest) => answer(() => guest.tools.call(invocation)));
      if (result === undefined)
        throw new Error(`${name} is not available: pi-capsule has failed. Go on without it, or try once more later.`);
      if ("error" in result) throw new Error(result.error);
      return {
        content: [{ type: "text", text: result.output.text }],
        details: undefined,
        terminate: result.output.terminate,
      };
    },
  };
}

/** The bindings throw the error of a `result` as it is, here a string; a trap is an object. */
function answer(call: () => Tools.Output): { output: Tools.Output } | { error: string } {
  try {
    return { output: call() };
  } catch (error) {
    if (typeof error === "string") return { error };
    throw error;
  }
}
