/**
 * Connects Pi to a component: its tools, its commands, what it hears.
 *
 * The beginning of a session is not among it. Who connects says when that is, and then calls `openSession`.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Capsule } from "./capsule.ts";
import { registerCommands } from "./exports/commands.ts";
import { forwardLifecycle } from "./exports/lifecycle.ts";
import { observeTools } from "./exports/tool-observer.ts";
import { registerTools } from "./exports/tools.ts";

export function connect(pi: ExtensionAPI, capsule: Capsule): void {
  const ownTools = registerTools(pi, capsule);
  registerCommands(pi, capsule);
  observeTools(pi, capsule, ownTools);
  forwardLifecycle(pi, capsule);
}
