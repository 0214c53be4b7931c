/**
 * `/pi-capsule`: the one command that is the adapter's own, for when the component has failed.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Capsule } from "./capsule.ts";

/** What can be typed after it. */
const WORDS = [
  { value: "status", label: "status", description: "say how the component is" },
  { value: "restart", label: "restart", description: "put a new instance of it in place" },
];

const USAGE = `/pi-capsule [${WORDS.map(({ value }) => value).join("|")}]`;

export function registerControl(pi: ExtensionAPI, capsule: Capsule): void {
  pi.registerCommand("pi-capsule", {
    description: "Say how the component of pi-capsule is, or start it again",
    getArgumentCompletions: (typed) => {
      const fitting = WORDS.filter(({ value }) => value.startsWith(typed) && value !== typed);
      return fitting.length === 0 ? null : fitting;
    },
    handler: async (args, { ui }) => {
      switch (args.trim()) {
        case "":
          return ui.notify(`pi-capsule: ${capsule.condition}\n${USAGE}`, "info");
        case "status":
          return ui.notify(`pi-capsule: ${capsule.condition}`, "info");
        case "restart":
          await capsule.restart();
          return ui.notify(`pi-capsule: ${capsule.condition}`, "info");
        default:
          return ui.notify(`/pi-capsule does not know ${JSON.stringify(args.trim())}. ${USAGE}`, "error");
      }
    },
  });
}
