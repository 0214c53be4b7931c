/**
 * Whether the names that a component brings are free. Pi would let the later one of two tools win, and call the later one of
 * two commands by another name; neither is what a person expects who adds a component.
 */
import type { ExtensionAPI, SourceInfo } from "@earendil-works/pi-coding-agent";
import type { Capsule } from "../capsule.ts";
import { ComponentError } from "../world.ts";
import { neighbours } from "./neighbours.ts";

interface Named {
  readonly name: string;
  readonly sourceInfo: SourceInfo;
}

/** Refuses a component one of whose names is taken. Asks Pi, which answers only while there is a session. */
export function refuseTakenNames(pi: ExtensionAPI, file: string, name: string, capsule: Capsule): void {
  const tools = capsule.describe((guest) => guest.tools.definitions());
  const commands = capsule.describe((guest) => guest.commands.definitions());
  const taken = [
    ...(neighbours(pi).some((other) => other.name === name) ? [`another component is called ${name}`] : []),
    ...claims("tool", tools, pi.getAllTools()),
    ...claims("command", commands, pi.getCommands()),
  ];
  if (taken.length === 0) return;
  throw new ComponentError(`pi-capsule: ${file} is not loaded: ${taken.join("; ")}. Take one of the two away.`);
}

function claims(kind: string, wanted: readonly { readonly name: string }[], there: readonly Named[]): string[] {
  return wanted.flatMap(({ name }) => {
    const owner = there.find((other) => other.name === name);
    return owner === undefined ? [] : [`the ${kind} "${name}" is taken (${owner.sourceInfo.path})`];
  });
}
