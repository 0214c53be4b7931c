/**
 * `status`: the status line of the guest in Pi's footer, and notices.
 */
import type * as Status from "../../component/types/interfaces/pi-extension-status.js";
import type { Host } from "../host.ts";
import { refuseStatusKey } from "../policy.ts";
import { errorText, plainLine, plainLines } from "../text.ts";
import { deny, ImportFailure } from "./failure.ts";

export function status(host: Host): typeof Status {
  /** By shown line: how to forget that it must be taken away at the end. */
  const shown = new Map<string, () => void>();

  return {
    setStatus: (key, text) => {
      host.request();
      const { context } = host.session();
      deny(host, "status line", refuseStatusKey(host.policy, key));
      contained(() => context.ui.setStatus(key, text === undefined ? undefined : plainLine(text)));
      if (text === undefined) {
        shown.get(key)?.();
        shown.delete(key);
      } else if (!shown.has(key)) {
        shown.set(
          key,
          host.own(() => {
            shown.delete(key);
            context.ui.setStatus(key, undefined);
          }),
        );
      }
    },

    notify: (level, message) => {
      host.request();
      host.session(); // Traps a guest that speaks without one.
      contained(() => host.notify(level, plainLines(message)));
    },
  };
}

function contained(show: () => void): void {
  try {
    show();
  } catch (error) {
    throw new ImportFailure({ tag: "failed", val: errorText(error) });
  }
}
