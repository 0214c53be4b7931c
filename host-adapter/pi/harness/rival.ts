/**
 * A second Pi extension, which gets in the way of this one, and reaches what RPC mode does not offer.
 *
 * `/rival cancel`, `/rival replace` and `/rival hold` say what it answers when the conversation is about to be
 * compacted, and `/rival hold-settling` makes it wait when a run is about to settle. It waits until `/rival go-on`, or
 * until the compaction is stopped. `/rival reload` loads all extensions again, `/rival tree <entry>` goes to another
 * point of the session, and `/rival compact` asks for a compaction as an extension does. Between `/rival fill-disk` and
 * `/rival free-disk` nothing can be appended to a file.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";

/** The status line that says what it holds up. */
export const RIVAL_KEY = "rival-held";

/** The summary that it puts in the place of another one. */
export const RIVAL_SUMMARY = "What the rival remembers.";

export default function rival(pi: ExtensionAPI): void {
  let manner = "nothing";
  let goOn = (): void => {};

  const hold = async (what: string, ui: ExtensionCommandContext["ui"], signal?: AbortSignal): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    goOn = resolve;
    signal?.addEventListener("abort", () => resolve(), { once: true });
    ui.setStatus(RIVAL_KEY, what);
    await promise;
    ui.setStatus(RIVAL_KEY, undefined);
  };

  pi.on("session_before_compact", async ({ preparation, signal }, { ui }) => {
    if (manner === "cancel") return { cancel: true };
    if (manner === "hold") await hold("compaction", ui, signal);
    if (manner !== "replace") return undefined;
    const { firstKeptEntryId, tokensBefore } = preparation;
    return { compaction: { summary: RIVAL_SUMMARY, firstKeptEntryId, tokensBefore } };
  });
  pi.on("agent_before_settle", async (_event, { ui }) => {
    if (manner === "hold-settling") await hold("settling", ui);
  });

  pi.registerCommand("rival", {
    description: "Gets in the way",
    handler: async (typed, context) => {
      const [what = "", argument = ""] = typed.split(" ");
      if (what === "go-on") goOn();
      else if (what === "reload") await context.reload();
      else if (what === "tree") await context.navigateTree(argument);
      else if (what === "compact") context.compact();
      else if (what === "fill-disk") disk.fill();
      else if (what === "free-disk") disk.free();
      else manner = what;
    },
  });
}

/** The file system as Node sees it, full or not. */
const disk = {
  appendFileSync: fs.appendFileSync,

  fill(): void {
    fs.appendFileSync = () => {
      throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    };
    syncBuiltinESMExports();
  },

  free(): void {
    fs.appendFileSync = this.appendFileSync;
    syncBuiltinESMExports();
  },
};
