/**
 * The component in Node with what the footer needs of Pi: its events, a status line, and a session in memory.
 *
 * It is called through the code that Pi calls it through, and runs the real `git`. Pi itself is not there.
 */
import { pathToFileURL } from "node:url";
import { type ExtensionAPI, type ExtensionContext, SessionManager } from "@earendil-works/pi-coding-agent";
import type { ImportObject } from "../../component/types/extension.js";
import { PACKAGE } from "../../harness/pi-command.ts";
import { Capsule } from "../../src/capsule.ts";
import { loadComponent } from "../../src/component.ts";
import { forwardLifecycle, openSession } from "../../src/exports/lifecycle.ts";
import { observeTools } from "../../src/exports/tool-observer.ts";
import { readPolicy } from "../../src/policy.ts";

const COMPONENT = pathToFileURL(`${PACKAGE}/component/`);
const component = await loadComponent(COMPONENT);
const policy = await readPolicy(new URL("policy.json", COMPONENT));

type Handler = (event: object, context: ExtensionContext) => Promise<unknown>;

export interface FooterHost {
  readonly capsule: Capsule;
  /** Emits an event of Pi and waits until it has been dealt with. */
  emit(event: string, members: object): Promise<void>;
}

export interface FooterOptions {
  readonly cwd: string;
  readonly onLine?: (line: string | undefined) => void;
  /** What the component imports instead. */
  readonly adapt?: (imports: ImportObject) => ImportObject;
}

/** Makes an instance. Its session begins with the event `session_start`. */
export async function footerHost(options: FooterOptions): Promise<FooterHost> {
  const { cwd, onLine = () => {}, adapt = (imports: ImportObject) => imports } = options;
  const sessionManager = SessionManager.inMemory(cwd);
  const handlers: (readonly [event: string, handler: Handler])[] = [];
  const pi = {
    on: (event: string, handler: Handler) => {
      handlers.push([event, handler]);
      return () => {};
    },
    appendEntry: (type: string, data: unknown) => sessionManager.appendCustomEntry(type, data),
    sendMessage: () => {},
    getSettings: () => ({}),
  } as unknown as ExtensionAPI;
  const context = {
    cwd,
    hasUI: true,
    sessionManager,
    isIdle: () => true,
    hasPendingMessages: () => false,
    isProjectTrusted: () => false,
    getContextUsage: () => undefined,
    ui: { setStatus: (_key: string, line: string | undefined) => onLine(line), notify: complain },
  } as unknown as ExtensionContext;
  const adapted = { ...component, instantiate: (imports: ImportObject) => component.instantiate(adapt(imports)) };
  const capsule = new Capsule(pi, adapted, policy);
  observeTools(pi, capsule, new Set());
  forwardLifecycle(pi, capsule);
  pi.on("session_start", (event, context) => openSession(capsule, event, context));
  return {
    capsule,
    emit: async (event, members) => {
      for (const [name, handler] of handlers) if (name === event) await handler(members, context);
    },
  };
}

/** Nothing is worth a notice here: a request that is refused, or a fault, spoils the measurement. */
function complain(message: string): void {
  throw new Error(message);
}
