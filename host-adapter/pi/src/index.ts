/**
 * The Pi extension: loads the component that the package holds, and those that the person adds. What they do is decided in
 * them.
 *
 * The factory starts nothing. Pi may load extensions without ever beginning a session.
 */
import { fileURLToPath } from "node:url";
import type { ExtensionAPI, ExtensionFactory } from "@earendil-works/pi-coding-agent";
import { connectFile, connectFound } from "./added/index.ts";
import { announce, neighbour } from "./added/neighbours.ts";
import { Capsule } from "./capsule.ts";
import { type Component, loadComponent } from "./component.ts";
import { connect } from "./connect.ts";
import { registerControl } from "./control.ts";
import { openSession } from "./exports/lifecycle.ts";
import { type Policy, readPolicy } from "./policy.ts";
import { tell } from "./tell.ts";
import { errorText, plainLine } from "./text.ts";

/** Where `npm run build` puts the component and everything it needs. */
const COMPONENT = new URL("../component/", import.meta.url);

/** What the component of the package is called among others. */
const NAME = "pi-capsule";

export default async function piCapsule(pi: ExtensionAPI): Promise<void> {
  await extend(pi, () => Promise.all([loadComponent(COMPONENT), readPolicy(new URL("policy.json", COMPONENT))]));
  registerControl(pi);
  connectFound(pi);
}

/**
 * An extension that is the component in a file, and nothing else: for a file that `pi -e` or a package names.
 *
 *     import { component } from "pi-capsule";
 *     export default component(new URL("todo.wasm", import.meta.url));
 */
export function component(file: URL | string): ExtensionFactory {
  const path = file instanceof URL ? fileURLToPath(file) : file;
  return (pi) => connectFile(pi, path);
}

/**
 * Connects Pi to what `load` gives. Pi would not start with an extension that fails while it is loaded, so whatever goes
 * wrong is told when a session begins, and Pi goes on without it.
 */
export async function extend(pi: ExtensionAPI, load: () => Promise<readonly [Component, Policy]>): Promise<void> {
  try {
    const [component, policy] = await load();
    const capsule = new Capsule(pi, component, policy);
    connect(pi, capsule);
    pi.on("session_start", (event, context) => openSession(capsule, event, context));
    announce(pi, () => [neighbour(NAME, capsule)]);
  } catch (error) {
    const message = plainLine(errorText(error));
    pi.on("session_start", (_event, context) => tell(context, message));
  }
}
