/**
 * What the adapter itself has to say, while there may be no capsule that could.
 */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

/** Tells the person of a failure. Where Pi shows no notices, what it does not show can still be read. */
export function tell({ hasUI, ui }: ExtensionContext, message: string): void {
  if (hasUI) ui.notify(message, "error");
  else process.stderr.write(`${message}\n`);
}
