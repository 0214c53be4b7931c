/**
 * The one owner of the component's instance.
 *
 * Every call of an export goes through here, one after the other: a worker runs one thing at a time, and what the guest
 * asks for is answered in a turn of its own. An instance that traps is dropped with all that it waits for, and a new one
 * takes its place at once; all that it knows is in the session.
 */
import type { Extension as Guest } from "../../../pi/component/types/extension.js";
import { errorText, plainLine } from "../../../pi/src/text.ts";
import { instantiate } from "./component.ts";
import { type Host, importsFor } from "./imports.ts";
import type { SessionFile } from "./session-file/session-file.ts";

/** What a tool has answered, or what it says to do instead. */
export type Answer = { readonly text: string } | { readonly complaint: string };

export class Capsule {
  readonly #host: Host;
  readonly #waiting = new Set<number>();
  #guest: Guest;
  #calls = 0;

  /** Makes an instance and begins the session. */
  constructor(session: SessionFile, notify: Host["notify"]) {
    this.#host = { session, notify, later: (milliseconds, call) => this.#later(milliseconds, call) };
    this.#guest = this.#begin("startup");
  }

  /** Calls a tool with arguments that are a JSON object. */
  call(name: string, args: object): Answer {
    this.#calls += 1;
    const { cwd } = this.#host.session.info;
    const invocation = { callId: String(this.#calls), name, arguments: JSON.stringify(args), cwd };
    try {
      return { text: this.#guest.tools.call(invocation).text };
    } catch (error) {
      // The bindings throw the error of a `result` as it is, here a string; a trap is an object.
      return { complaint: typeof error === "string" ? error : this.#recover(name, error) };
    }
  }

  #begin(reason: "startup" | "recovered"): Guest {
    const guest = instantiate(importsFor(this.#host));
    guest.lifecycle.sessionStarted(reason);
    return guest;
  }

  #later(milliseconds: number, call: (guest: Guest) => void): () => void {
    const timer = self.setTimeout(() => {
      this.#waiting.delete(timer);
      try {
        call(this.#guest);
      } catch (error) {
        this.#host.notify("warning", this.#recover("an answer to it", error));
      }
    }, milliseconds);
    this.#waiting.add(timer);
    return () => {
      self.clearTimeout(timer);
      this.#waiting.delete(timer);
    };
  }

  /** The memory of an instance that broke cannot be trusted any more. Says what happened, for people. */
  #recover(event: string, fault: unknown): string {
    for (const timer of this.#waiting) self.clearTimeout(timer);
    this.#waiting.clear();
    this.#guest = this.#begin("recovered");
    return `The component failed in ${event} (${plainLine(errorText(fault))}) and was started again. Try once more.`;
  }
}
