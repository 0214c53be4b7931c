/**
 * The components that are loaded in a session, by whichever copy of this adapter: Pi loads the modules of each extension
 * anew, so two of them share nothing but its event bus.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Capsule } from "../capsule.ts";

/** On it, whoever asks sends a list, and whoever has components adds them before the call returns. */
const CHANNEL = "pi-capsule:components";

/** A component, as the others and the person see it. */
export interface Neighbour {
  /** What its status line, its section of the settings and its entries are named after. */
  readonly name: string;
  /** How it is, in a sentence or two for the person. */
  readonly condition: string;
  /** Puts a new instance in the place of the one there is, or was. */
  restart(): Promise<void>;
}

/** A capsule under the name of its component. */
export function neighbour(name: string, capsule: Capsule): Neighbour {
  return {
    name,
    get condition() {
      return capsule.condition;
    },
    restart: () => capsule.restart(),
  };
}

/** Answers for the components of this copy, whatever they are when somebody asks. */
export function announce(pi: ExtensionAPI, mine: () => readonly Neighbour[]): void {
  pi.events.on(CHANNEL, (list) => {
    (list as Neighbour[]).push(...mine());
  });
}

/** All components there are. */
export function neighbours(pi: ExtensionAPI): readonly Neighbour[] {
  const list: Neighbour[] = [];
  pi.events.emit(CHANNEL, list);
  return list;
}
