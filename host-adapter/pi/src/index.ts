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

/** Where `npm run build` puts the component and everything it needs. */
const COMPONENT = new URL("../component/", import.meta.url);

export default async function piCapsule(pi: ExtensionAPI): Promise<void> {
  const [component, policy] = await Promise.all([
    loadComponent(COMPONENT),
    readPolicy(new URL("policy.json", COMPONENT)),
  ]);
  connect(pi, component, policy);
}

/** Connects Pi to a component that is loaded. */
export function connect(pi: ExtensionAPI, component: Component, policy: Policy): void {
  const capsule = new Capsule(pi, component, policy);
  const ownTools = registerTools(pi, capsule);
  registerCommands(pi, capsule);
  registerControl(pi, capsule);
  observeTools(pi, capsule, ownTools);
  forwardLifecycle(pi, capsule);
}
