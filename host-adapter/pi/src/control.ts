/**
 * `/pi-capsule`: the one command that is the adapter's own, for when a component has failed.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { type Neighbour, neighbours } from "./added/neighbours.ts";

/** What can be typed after it. */
const WORDS = [
  { value: "status", label: "status", description: "say how the components are" },
  { value: "restart", label: "restart", description: "put a new instance of each in place, or of one by its name" },
];

const USAGE = "/pi-capsule [status|restart [NAME]]";

export function registerControl(pi: ExtensionAPI): void {
  pi.registerCommand("pi-capsule", {
    description: "Say how the components of pi-capsule are, or start them again",
    getArgumentCompletions: (typed) => {
      const fitting = [...WORDS, ...restarts(pi)].filter(({ value }) => value.startsWith(typed) && value !== typed);
      return fitting.length === 0 ? null : fitting;
    },
    handler: async (args, { ui }) => {
      const [word = "", name, ...others] = args.trim().split(/\s+/);
      const chosen = neighbours(pi).filter((one) => name === undefined || one.name === name);
      const isKnown = word === "restart" || (name === undefined && (word === "" || word === "status"));
      if (!isKnown || others.length > 0) {
        return ui.notify(`/pi-capsule does not know ${JSON.stringify(args.trim())}. ${USAGE}`, "error");
      }
      if (chosen.length === 0) return ui.notify(`pi-capsule: there is no component${named(name)}.`, "error");
      if (word === "restart") await Promise.all(chosen.map((one) => one.restart()));
      return ui.notify(`${conditions(chosen)}${word === "" ? `\n${USAGE}` : ""}`, "info");
    },
  });
}

function conditions(components: readonly Neighbour[]): string {
  return components.map(({ condition }) => `pi-capsule: ${condition}`).join("\n");
}

function named(name: string | undefined): string {
  return name === undefined ? "" : ` called ${JSON.stringify(name)}`;
}

/** The words that restart one of several. */
function restarts(pi: ExtensionAPI): typeof WORDS {
  const all = neighbours(pi);
  if (all.length < 2) return [];
  return all.map(({ name }) => {
    const value = `restart ${name}`;
    return { value, label: value, description: `put a new instance of ${name} in place` };
  });
}
