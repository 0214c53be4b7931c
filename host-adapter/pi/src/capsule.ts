/**
 * The one owner of the component's instance.
 *
 * Every call of an export goes through {@link Capsule.call}, in order and never inside another one. The capsule holds
 * what belongs to the session, undoes it at the end, and keeps a fault of the guest away from Pi: a trap, a call that
 * does not come to an end, an answer that makes no sense. It does not know which exports there are.
 *
 * | instance | event | then |
 * | --- | --- | --- |
 * | running | a fault | all that it has started is undone; waiting for as long as `recovery.ts` says, or stopped |
 * | waiting | the time is over | running: a new instance, which is told that it takes over the session |
 * | waiting, stopped | a call of an export | no answer, with which Pi goes on as without the extension |
 * | any | the person asks for it | running: a new instance |
 * | waiting, stopped | a session begins | running: a new instance |
 *
 * The branch is the only source of truth, so a new instance knows all that the one before did.
 */
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { Branch } from "./branch.ts";
import type { Component } from "./component.ts";
import { within } from "./deadline.ts";
import type { Guest, Host, Level, Session } from "./host.ts";
import { importsFor } from "./imports/index.ts";
import { type Machine, THIS_MACHINE } from "./machine.ts";
import type { Policy } from "./policy.ts";
import { CallQueue } from "./queue.ts";
import { Recovery } from "./recovery.ts";
import { errorText, plainLine } from "./text.ts";

/** Notices that wait, each as what shows it. */
type Notices = (() => void)[];

/** The instance, or what has become of it. */
type Life =
  | { readonly state: "running"; readonly guest: Guest }
  | { readonly state: "waiting"; readonly timer: NodeJS.Timeout }
  | { readonly state: "stopped" };

/** How it is in each state, for people. */
const CONDITIONS = {
  running: "is running",
  waiting: "will be started again in a moment",
  stopped: "is stopped",
} as const satisfies Record<Life["state"], string>;

/** What the person is told once until they ask for a new instance. */
const FAULT_SUBJECTS = ["fault", "stopped"] as const;

/** What went wrong last, for people. */
interface Fault {
  readonly event: string;
  readonly reason: string;
}

export class Capsule {
  /** What the imports, and those who carry out the guest's answers, may do. */
  readonly host: Host;
  readonly #pi: ExtensionAPI;
  readonly #policy: Policy;
  readonly #component: Component;
  readonly #imports: ReturnType<typeof importsFor>;
  readonly #queue = new CallQueue();
  readonly #recovery = new Recovery();
  readonly #disposers = new Set<() => void>();
  readonly #work = new Set<Promise<void>>();
  /** How many requests the latest call has made. */
  #requests = 0;
  readonly #told = new Set<string>();
  /** What was refused before there was anybody to tell. */
  readonly #untold: [subject: string, message: string][] = [];
  #life: Life;
  #lastFault: Fault | undefined;
  #session: Session | undefined;
  #waitingNotices: Notices | undefined;

  /** Makes an instance. Starts nothing: until {@link open} the guest is asked only for what it offers. */
  constructor(pi: ExtensionAPI, component: Component, policy: Policy, machine: Machine = THIS_MACHINE) {
    this.#pi = pi;
    this.#component = component;
    this.#policy = policy;
    this.host = this.#hostOfImports(machine);
    this.#imports = importsFor(this.host);
    this.#life = { state: "running", guest: component.instantiate(this.#imports) };
  }

  /** Asks for something that needs no session, while the extension is being loaded. A fault is for Pi to report. */
  describe<T>(ask: (guest: Guest) => T): T {
    if (this.#life.state !== "running") throw new Error(`pi-capsule: there is no instance of ${this.#file}.`);
    const { guest } = this.#life;
    try {
      return within(this.#policy.limits.callMilliseconds, () => ask(guest));
    } catch (error) {
      const message = `pi-capsule: ${this.#file} failed while it was loaded (${errorText(error)}). Install the package again.`;
      throw new Error(message, { cause: error });
    }
  }

  /** Tells the person of something that was refused while the extension was being loaded, when a session begins. */
  refuse(subject: string, message: string): void {
    this.#untold.push([subject, message]);
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
      this.#recovery.reset();
      this.#session = { context, branch: new Branch(context.sessionManager) };
      for (const [subject, message] of this.#untold) this.#tellOnce(subject, "warning", message);
      if (this.#life.state !== "running" && !this.#revive()) return;
      this.#invoke(event, call);
    });
  }

  /** Ends the session with its last event: nothing that it started goes on, and nothing is delivered any more. */
  async close(event: string, call: (guest: Guest) => void): Promise<void> {
    return this.#queue.run(() => {
      try {
        if (this.#life.state === "running") this.#run(this.#life.guest, call);
      } catch (error) {
        const fault = { event, reason: plainLine(errorText(error)) };
        this.#drop(fault);
        this.#tellOnce("fault", "warning", `${this.#complaint(fault)}. The session is unharmed.`);
      }
      if (this.#life.state === "waiting") this.#stop();
      this.#undo();
      this.#session = undefined;
    });
  }

  /** Puts a new instance in the place of the one there is, or was. The person has asked for it. */
  async restart(): Promise<void> {
    return this.#queue.run(() => {
      if (this.#session === undefined) return;
      this.#undo();
      this.#stop();
      this.#recovery.reset();
      for (const subject of FAULT_SUBJECTS) this.#told.delete(subject);
      this.#takeOver();
    });
  }

  /** How the instance is, in a sentence or two for the person. */
  get condition(): string {
    const fault = this.#lastFault;
    const last = fault === undefined ? "" : ` It failed last in ${fault.event}: ${fault.reason}.`;
    return `${this.#file} ${CONDITIONS[this.#life.state]}.${last}`;
  }

  /** Resolves when no process of the guest runs, including those that were started in answer to one. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  get #file(): string {
    return this.#component.manifest.file;
  }

  #invoke<T>(event: string, call: (guest: Guest) => T): T | undefined {
    if (this.#life.state !== "running" || this.#session === undefined) return undefined;
    try {
      return this.#run(this.#life.guest, call);
    } catch (error) {
      this.#recover({ event, reason: plainLine(errorText(error)) });
      return undefined;
    }
  }

  #run<T>(guest: Guest, call: (guest: Guest) => T): T {
    this.#requests = 0;
    return within(this.#policy.limits.callMilliseconds, () => call(guest));
  }

  #countRequest(): void {
    this.#requests += 1;
    const { requests } = this.#policy.limits;
    if (this.#requests > requests) throw new Error(`it made more than ${requests} requests in one call`);
    if (this.#disposers.size > requests) throw new Error(`it has more than ${requests} requests under way`);
  }

  /** The guest has broken. Its memory cannot be trusted any more, so the instance goes, with all that it started. */
  #drop(fault: Fault): void {
    this.#lastFault = fault;
    this.#stop();
    this.#undo();
  }

  /** Goes on after a fault, now or later, if that has not been tried too often. */
  #recover(fault: Fault): void {
    this.#drop(fault);
    const delay = this.#recovery.afterFault(performance.now());
    const what = this.#complaint(fault);
    if (delay === undefined) {
      const advice = "Type /pi-capsule restart to try again.";
      this.#tellOnce("stopped", "error", `${what} again and stays stopped. The session is unharmed. ${advice}`);
      return;
    }
    this.#tellOnce("fault", "warning", `${what} and is started again. The session is unharmed.`);
    if (delay === 0) this.#takeOver();
    else this.#life = { state: "waiting", timer: this.#takeOverIn(delay) };
  }

  #complaint({ event, reason }: Fault): string {
    return `pi-capsule: ${this.#file} failed in ${event} (${reason})`;
  }

  #takeOverIn(milliseconds: number): NodeJS.Timeout {
    const takeOver = (): void => {
      if (this.#life.state === "waiting") this.#takeOver();
    };
    return setTimeout(() => void this.#queue.run(takeOver), milliseconds).unref();
  }

  /** A new instance goes on in the session of the one before. */
  #takeOver(): void {
    if (!this.#revive()) return;
    this.#invoke("lifecycle.session-started", (guest) => guest.lifecycle.sessionStarted("recovered"));
  }

  /** Makes a new instance. That it cannot be made is a fault like any other. */
  #revive(): boolean {
    this.#stop();
    try {
      this.#life = { state: "running", guest: this.#component.instantiate(this.#imports) };
      return true;
    } catch (error) {
      this.#recover({ event: "its start", reason: plainLine(errorText(error)) });
      return false;
    }
  }

  #stop(): void {
    if (this.#life.state === "waiting") clearTimeout(this.#life.timer);
    this.#life = { state: "stopped" };
  }

  /** Undoes what the guest has started and forgets what it has asked for. */
  #undo(): void {
    this.#queue.dropEffects();
    for (const dispose of this.#disposers) {
      this.#disposers.delete(dispose);
      this.#contain(dispose);
    }
  }

  #hostOfImports(machine: Machine): Host {
    return {
      pi: this.#pi,
      policy: this.#policy,
      machine,
      session: () => {
        if (this.#session === undefined) throw new Error("the component asked for its session outside of one");
        return this.#session;
      },
      request: () => this.#countRequest(),
      defer: (effect) => this.#queue.defer(() => this.#contain(effect)),
      deliver: (event, call) => this.#deliver(event, call),
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

  #deliver(event: string, call: (guest: Guest) => void): void {
    const life = this.#life;
    void this.#queue.run(() => {
      // An answer means nothing to the instance after the one that asked.
      if (this.#life === life) this.#invoke(event, call);
    });
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
    this.#show(() => ui.notify(message, level));
  }

  /** Shows a notice, now or, when Pi is about to redraw the conversation, after that. */
  #show(show: () => void): void {
    if (this.#waitingNotices === undefined) show();
    else this.#waitingNotices.push(show);
  }

  #tellOnce(subject: string, level: Level, message: string): void {
    const context = this.#session?.context;
    if (context === undefined || this.#told.has(subject)) return;
    this.#told.add(subject);
    try {
      if (context.hasUI) {
        this.#show(() => context.ui.notify(message, level));
        return;
      }
    } catch {
      // What Pi does not show can still be read.
    }
    // Print and JSON mode show no notices, and their standard output is the answer.
    process.stderr.write(`${message}\n`);
  }
}
