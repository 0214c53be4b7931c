/**
 * The host of a single import: real policy, what is given of Pi, and everything that the import did, written down.
 */
import type { ExtensionAPI, ExtensionContext, SessionManager } from "@earendil-works/pi-coding-agent";
import { Branch } from "../../src/branch.ts";
import type { Guest, Host, Level, Session } from "../../src/host.ts";
import { THIS_MACHINE } from "../../src/machine.ts";
import { policy } from "./policy.ts";
import { type Call, recordingGuest } from "./recording-guest.ts";

interface Parts {
  readonly pi?: Partial<ExtensionAPI>;
  readonly context?: Partial<ExtensionContext>;
  readonly sessionManager?: SessionManager;
}

export class FakeHost implements Host {
  readonly pi: ExtensionAPI;
  readonly policy = policy;
  readonly machine = THIS_MACHINE;
  /** The exports that were called. */
  readonly delivered: Call[] = [];
  /** What the person was told. */
  readonly told: string[] = [];
  /** How many requests were counted. */
  requests = 0;
  /** What waits for the running export to return. */
  readonly effects: (() => void)[] = [];
  readonly disposers = new Set<() => void>();
  readonly #session: Session | undefined;
  readonly #subjects = new Set<string>();
  readonly #guest = recordingGuest((call) => {
    this.delivered.push(call);
    this.#delivery.resolve();
    this.#delivery = Promise.withResolvers<void>();
  });
  #delivery = Promise.withResolvers<void>();

  constructor({ pi, context, sessionManager }: Parts) {
    this.pi = pi as ExtensionAPI;
    if (context === undefined && sessionManager === undefined) return;
    this.#session = {
      context: { ...context, ...(sessionManager && { sessionManager }) } as ExtensionContext,
      branch: new Branch(sessionManager ?? { getLeafId: () => null, getEntry: () => undefined }),
    };
  }

  /** Resolves at the next call of an export. */
  get delivery(): Promise<void> {
    return this.#delivery.promise;
  }

  /** What happens once the running export has returned. */
  returnFromExport(): void {
    for (const effect of this.effects.splice(0)) effect();
  }

  session(): Session {
    if (this.#session === undefined) throw new Error("no session");
    return this.#session;
  }

  request(): void {
    this.requests += 1;
  }

  defer(effect: () => void): void {
    this.effects.push(effect);
  }

  deliver(_event: string, call: (guest: Guest) => void): void {
    call(this.#guest);
  }

  own(dispose: () => void): () => void {
    this.disposers.add(dispose);
    return () => this.disposers.delete(dispose);
  }

  await(): void {}

  notify(level: Level, message: string): void {
    this.session().context.ui.notify(message, level);
  }

  tellOnce(subject: string, _level: Level, message: string): void {
    if (this.#subjects.has(subject)) return;
    this.#subjects.add(subject);
    this.told.push(message);
  }
}
