/**
 * Pi as an extension sees it, to call its handlers by hand. What the real Pi does is tested with the real Pi.
 */
import { createEventBus, type ExtensionAPI, type ExtensionContext } from "@earendil-works/pi-coding-agent";
import { Capsule } from "../../src/capsule.ts";
import type { Component } from "../../src/component.ts";
import type { Guest } from "../../src/host.ts";
import { policy } from "./policy.ts";

type Handler = (event: object, context: ExtensionContext) => unknown;

/** What Pi was told to register. */
interface Registered {
  readonly name: string;
  readonly [member: string]: unknown;
}

export class FakePi {
  readonly tools: Registered[] = [];
  readonly commands: Registered[] = [];
  /** Notices and status lines that the person was shown. */
  readonly shown: unknown[][] = [];
  readonly api: ExtensionAPI;
  readonly context: ExtensionContext;
  readonly #handlers = new Map<string, Handler[]>();

  constructor() {
    this.api = {
      on: (event: string, handler: Handler) => {
        this.#handlers.set(event, [...(this.#handlers.get(event) ?? []), handler]);
        return () => {};
      },
      registerTool: (tool: Registered) => this.tools.push(tool),
      registerCommand: (name: string, command: object) => this.commands.push({ name, ...command }),
      getAllTools: () => this.tools.map(({ name }) => ({ name, sourceInfo: { path: "here.ts" } })),
      getCommands: () => this.commands.map(({ name }) => ({ name, sourceInfo: { path: "here.ts" } })),
      events: createEventBus(),
    } as unknown as ExtensionAPI;
    this.context = {
      cwd: "/work/widget",
      hasUI: true,
      sessionManager: { getLeafId: () => null, getEntry: () => undefined },
      ui: {
        notify: (...args: unknown[]) => this.shown.push(["notify", ...args]),
        setStatus: (...args: unknown[]) => this.shown.push(["setStatus", ...args]),
      },
    } as unknown as ExtensionContext;
  }

  /** Emits an event as Pi does: one handler after the other. Gives the last answer. */
  async emit(event: string, members: object = {}): Promise<unknown> {
    let answer: unknown;
    for (const handler of this.#handlers.get(event) ?? []) answer = await handler(members, this.context);
    return answer;
  }
}

/** A component whose instance is given. */
export function componentOf(guest: Guest): Component {
  return { manifest: { file: "fake.wasm", bytes: 0, imports: [], exports: [], modules: [] }, instantiate: () => guest };
}

export function loadCapsule(pi: FakePi, guest: Guest): Capsule {
  return new Capsule(pi.api, componentOf(guest), policy);
}
