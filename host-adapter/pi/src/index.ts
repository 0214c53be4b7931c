/**
 * The Pi extension: loads the component and connects it. What it does is decided in the component.
 *
 * The factory starts nothing. Pi may load extensions without ever beginning a session.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Capsule } from "./capsule.ts";
import { type Component, loadComponent } from "./component.ts";
import { registerControl } from "./control.ts";
import { registerCommands } from "./exports/commands.ts";
import { forwardLifecycle } from "./exports/lifecycle.ts";
import { observeTools } from "./exports/tool-observer.ts";
import { registerTools } from "./exports/tools.ts";
import { type Policy, readPolicy } from "./policy.ts";
import { errorText, plainLine } from "./text.ts";

/** Where `npm run build` puts the component and everything it needs. */
const COMPONENT = new URL("../component/", import.meta.url);

export default function piCapsule(pi: ExtensionAPI): Promise<void> {
  return extend(pi, () => Promise.all([loadComponent(COMPONENT), readPolicy(new URL("policy.json", COMPONENT))]));
}

/**
 * Connects Pi to what `load` gives. Pi would not start with an extension that fails while it is loaded, so whatever goes
 * wrong is told when a session begins, and Pi goes on without it.
 */
export async function extend(pi: ExtensionAPI, load: () => Promise<readonly [Component, Policy]>): Promise<void> {
  try {
    const [component, policy] = await load();
    connect(pi, component, policy);
  } catch (error) {
    const message = plainLine(errorText(error));
    pi.on("session_start", (_event, { hasUI, ui }) => {
      if (hasUI) ui.notify(message, "error");
      else process.stderr.write(`${message}\n`);
    });
  }
}

/** Connects Pi to a component that is loaded. */
function connect(pi: ExtensionAPI, component: Component, policy: Policy): void {
  const capsule = new Capsule(pi, component, policy);
  const ownTools = registerTools(pi, capsule);
  registerCommands(pi, capsule);
  registerControl(pi, capsule);
  observeTools(pi, capsule, ownTools);
  forwardLifecycle(pi, capsule);
}
