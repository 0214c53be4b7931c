/**
 * `settings`: single sections of Pi's settings files, and the compaction policy that Pi itself goes by.
 */
import { SettingsManager } from "@earendil-works/pi-coding-agent";
import type * as Settings from "../../component/types/interfaces/pi-extension-settings.js";
import type { Host } from "../host.ts";
import { refuseSettingsSection } from "../policy.ts";
import { errorText, jsonText } from "../text.ts";
import { deny, ImportFailure } from "./failure.ts";

export function settings(host: Host): typeof Settings {
  return {
    section: (scope, name) => {
      const { context } = host.session();
      deny(host, "settings section", refuseSettingsSection(host.policy, name));
      return jsonText(read(() => host.machine.settings(scope, context.cwd, context.isProjectTrusted()))[name]);
    },

    compaction: () => {
      const { context } = host.session();
      return read(() => {
        // What Pi holds in memory, which includes what was changed or overridden since the files were read.
        const effective = SettingsManager.inMemory(host.pi.getSettings()).getCompactionSettings(context.model);
        return {
          enabled: effective.enabled,
          reserveTokens: BigInt(effective.reserveTokens),
          keepRecentTokens: BigInt(effective.keepRecentTokens),
        };
      });
    },
  };
}

function read<T>(settings: () => T): T {
  try {
    return settings();
  } catch (error) {
    throw new ImportFailure({ tag: "unreadable", val: errorText(error) });
  }
}
