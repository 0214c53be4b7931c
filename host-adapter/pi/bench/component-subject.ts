/**
 * The component in Node, called through the code that Pi calls it through: the capsule, its queue and its imports.
 *
 * Pi itself is not there: an agent without a person, whose context is filled to the same degree at every event.
 */
import { pathToFileURL } from "node:url";
import type { ExtensionAPI, ExtensionContext, SessionManager } from "@earendil-works/pi-coding-agent";
import { PACKAGE } from "../harness/pi-command.ts";
import { Capsule } from "../src/capsule.ts";
import { type InstantiateCore, loadComponent } from "../src/component.ts";
import { readPolicy } from "../src/policy.ts";
import type { Usage } from "./baseline.ts";
import type { Subject } from "./measure.ts";

const COMPONENT = pathToFileURL(`${PACKAGE}/component/`);

export async function componentSubject(sessionManager: SessionManager, usage: () => Usage): Promise<Subject> {
  /** The memories of its modules. The bindings keep them to themselves. */
  const memories: WebAssembly.Memory[] = [];
  const watched: InstantiateCore = (module, imports) => {
    const instance = new WebAssembly.Instance(module, imports);
    memories.push(...Object.values(instance.exports).filter((value) => value instanceof WebAssembly.Memory));
    return instance;
  };
  const [component, policy] = await Promise.all([
    loadComponent(COMPONENT, watched),
    readPolicy(new URL("policy.json", COMPONENT)),
  ]);
  const pi = {
    on: () => () => {},
    appendEntry: (type: string, data: unknown) => sessionManager.appendCustomEntry(type, data),
    sendMessage: () => {},
    getSettings: () => ({}),
  } as unknown as ExtensionAPI;
  const capsule = new Capsule(pi, component, policy);
  const context = contextOf(sessionManager, usage);

  const callTool = async (name: string, args: object): Promise<string> => {
    const invocation = { callId: "1", name, arguments: JSON.stringify(args), cwd: context.cwd };
    const output = await capsule.call("tools.call", (guest) => guest.tools.call(invocation));
    if (output === undefined) throw new Error(`${component.manifest.file} failed in ${name}; see above`);
    return output.text;
  };
  return {
    start: () =>
      capsule.open(context, "lifecycle.session-started", (guest) => guest.lifecycle.sessionStarted("startup")),
    contextRequested: () => capsule.call("lifecycle.context-requested", (guest) => guest.lifecycle.contextRequested()),
    listItems: () => callTool("history_list_items", {}),
    searchItems: (query) => callTool("history_search_contents", { query }),
    listNotes: () => callTool("notes_list_files", {}),
    wasmBytes: () => memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0),
  };
}

function contextOf(sessionManager: SessionManager, usage: () => Usage): ExtensionContext {
  const context = {
    cwd: sessionManager.getCwd(),
    hasUI: false,
    sessionManager,
    isIdle: () => false,
    hasPendingMessages: () => false,
    isProjectTrusted: () => false,
    getContextUsage: usage,
    ui: { setStatus: () => {}, notify: () => {} },
  };
  return context as unknown as ExtensionContext;
}
