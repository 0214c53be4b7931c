/**
 * The one owner of the component's instance.
 *
 * Every call of an export goes through {@link Capsule.call}, in order and never inside another one. The capsule holds
 * what belongs to the session, undoes it at the end, and keeps a fault of the guest away from Pi. It does not know
 * which exports there are.
 */
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { Branch } from "./branch.ts";
import type { Component } from "./component.ts";
import type { Guest, Host, Level, Session } from "./host.ts";
import { importsFor } from "./imports/index.ts";
import type { Policy } from "./policy.ts";
import { CallQueue } from "./queue.ts";
import { errorText, plainLine } from "./text.ts";

/** Notices that wait, each as what shows it. */
type Notices = (() => void)[];

export class Capsule {
  /** What the imports, and those who carry out the guest's answers, may do. */
  readonly host: Host;
  readonly #pi: ExtensionAPI;
  readonly #policy: Policy;
  /** The name of the component's file, for people. */
  readonly #file: string;
  readonly #queue = new CallQueue();
  readonly #disposers = new Set<() => void>();
  readonly #work = new Set<Promise<void>>();
  readonly #told = new Set<string>();
  #guest: Guest | undefined;
  #session: Session | undefined;
  #waitingNotices: Notices | undefined;

  private constructor(pi: ExtensionAPI, file: string, policy: Policy) {
    this.#pi = pi;
    this.#file = file;
    this.#policy = policy;
    this.host = this.#hostOfImports();
  }

  /** Makes an instance. Starts nothing: until {@link open} the guest is asked only for what it offers. */
  static async load(pi: ExtensionAPI, component: Component, policy: Policy): Promise<Capsule> {
    const capsule = new Capsule(pi, component.manifest.file, policy);
    capsule.#guest = await component.instantiate(importsFor(capsule.host));
    return capsule;
  }

  /** Asks for something that needs no session, while the extension is being loaded. A fault is for Pi to report. */
  describe<T>(ask: (guest: Guest) => T): T {
    if (this.#guest === undefined) throw new Error(`pi-capsule: there is no instance of ${this.#file}.`);
    try {
      return ask(this.#guest);
    } catch (error) {
      const message = `pi-capsule: ${this.#file} failed while it was loaded (${errorText(error)}). Install the package again.`;
      throw new Error(message, { cause: error });
    }
  }

  /**
   * Calls an export, now or when its turn comes. The answer is `undefined` when there is no session, or the guest is
   * gone, or goes by a fault in this call. `event` names the call for people.
   */
  async call<T>(event: string, call: (guest: Guest) => T): Promise<T | undefined> {
    return this.#queue.run(() => this.#invoke(event, call));
  }

  /**
   * As {@link call}, in an event after which Pi redraws the conversation. That would wipe away a notice shown now, so
   * the guest's notices wait for it.
   */
  async callBeforeRedraw<T>(event: string, call: (guest: Guest) => T): Promise<T | undefined> {
    const notices: Notices = [];
    this.#waitingNotices = notices;
    try {
      return await this.call(event, call);
    } finally {
      setImmediate(() => {
        if (this.#waitingNotices === notices) this.#waitingNotices = undefined;
        for (const show of notices) this.#contain(show);
      });
    }
  }

  /** Begins a session with its first event. */
  async open(context: ExtensionContext, event: string, call: (guest: Guest) => void): Promise<void> {
    return this.#queue.run(() => {
      this.#told.clear();
      this.#session = { context, branch: new Branch(context.sessionManager) };
      this.#invoke(event, call);
    });
  }

  /** Ends the session with its last event: nothing that it started goes on, and nothing is delivered any more. */
  async close(event: string, call: (guest: Guest) => void): Promise<void> {
    return this.#queue.run(() => {
      this.#invoke(event, call);
      this.#undo();
      this.#session = undefined;
    });
  }

  /** Resolves when no process of the guest runs, including those that were started in answer to one. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  #invoke<T>(event: string, call: (guest: Guest) => T): T | undefined {
    if (this.#guest === undefined || this.#session === undefined) return undefined;
    try {
      return call(this.#guest);
    } catch (error) {
      this.#fail(event, error);
      return undefined;
    }
  }

  /** The guest has broken. Its memory cannot be trusted any more, so the instance goes, with all that it started. */
  #fail(event: string, error: unknown): void {
    this.#guest = undefined;
    this.#undo();
    this.#tellOnce(
      "fault",
      "error",
      `pi-capsule: ${this.#file} failed in ${event} (${plainLine(errorText(error))}) and has been stopped. ` +
        "The session is unharmed. Type /reload to start it again.",
    );
  }

  /** Undoes what the guest has started and forgets what it has asked for. */
  #undo(): void {
    this.#queue.dropEffects();
    for (const dispose of this.#disposers) {
      this.#disposers.delete(dispose);
      this.#contain(dispose);
    }
  }

  #hostOfImports(): Host {
    return {
      pi: this.#pi,
      policy: this.#policy,
      session: () => {
        if (this.#session === undefined) throw new Error("the component asked for its session outside of one");
        return this.#session;
      },
      defer: (effect) => this.#queue.defer(() => this.#contain(effect)),
      deliver: (event, call) => void this.call(event, call),
      own: (dispose) => {
        this.#disposers.add(dispose);
        return () => this.#disposers.delete(dispose);
      },
      await: (work) => {
        this.#work.add(work);
        void work.finally(() => this.#work.delete(work));
      },
      notify: (level, message) => this.#notify(level, message),
      tellOnce: (subject, level, message) => this.#tellOnce(subject, level, message),
    };
  }

  #contain(effect: () => void): void {
    try {
      effect();
    } catch (error) {
      this.#tellOnce("effect", "warning", `pi-capsule: Pi refused a request (${plainLine(errorText(error))}).`);
    }
  }

  #notify(level: Level, message: string): void {
    const { ui } = this.host.session().context;
    const show = (): void => ui.notify(message, level);
    if (this.#waitingNotices === undefined) show();
    else this.#waitingNotices.push(show);
  }

  #tellOnce(subject: string, level: Level, message: string): void {
    const context = this.#session?.context;
    if (context === undefined || this.#told.has(subject)) return;
    this.#told.add(subject);
    // Print and JSON mode show no notices, and their standard output is the answer.
    if (context.hasUI) context.ui.notify(message, level);
    else process.stderr.write(`${message}\n`);
  }
}
