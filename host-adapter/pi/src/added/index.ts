/**
 * Components that a person adds: found, loaded and connected when a session begins, each in a sandbox of its own.
 *
 * Not earlier: only then does Pi say whether the project is trusted, and which names are taken. One that cannot be loaded
 * is told once and keeps nobody else from going on.
 */
import type { ExtensionAPI, ExtensionContext, SessionStartEvent } from "@earendil-works/pi-coding-agent";
import { Capsule } from "../capsule.ts";
import { connect } from "../connect.ts";
import { openSession } from "../exports/lifecycle.ts";
import { tell } from "../tell.ts";
import { errorText, plainLine } from "../text.ts";
import { findComponents } from "./find.ts";
import { loadAdded } from "./load.ts";
import { refuseTakenNames } from "./names.ts";
import { announce, type Neighbour, neighbour } from "./neighbours.ts";

/** Connects Pi to what the person has added, and to what is added until the next session begins. */
export function connectFound(pi: ExtensionAPI): void {
  connectAtStart(pi, (context) => {
    const { files, troubles } = findComponents(context.cwd, context.isProjectTrusted());
    for (const trouble of troubles) tell(context, trouble);
    return files;
  });
}

/** Connects Pi to the component in one file. */
export function connectFile(pi: ExtensionAPI, file: string): void {
  connectAtStart(pi, () => [file]);
}

function connectAtStart(pi: ExtensionAPI, filesFor: (context: ExtensionContext) => readonly string[]): void {
  const loaded: Neighbour[] = [];
  announce(pi, () => loaded);
  pi.on("session_start", async (event, context) => {
    for (const file of filesFor(context)) {
      try {
        loaded.push(await begin(pi, file, event, context));
      } catch (error) {
        tell(context, plainLine(errorText(error)));
      }
    }
  });
}

/** Connects Pi to a component in the middle of the event that begins a session, which it is then told of. */
async function begin(
  pi: ExtensionAPI,
  file: string,
  event: SessionStartEvent,
  context: ExtensionContext,
): Promise<Neighbour> {
  const { name, component, policy } = await loadAdded(file);
  const capsule = new Capsule(pi, component, policy);
  refuseTakenNames(pi, file, name, capsule);
  connect(pi, capsule);
  await openSession(capsule, event, context);
  return neighbour(name, capsule);
}
