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
      return jsonText(readScope(scope, context.cwd, context.isProjectTrusted())[name]);
    },

    compaction: () => {
      const { context } = host.session();
      try {
        // What Pi holds in memory, which includes what was changed or overridden since the files were read.
        const effective = SettingsManager.inMemory(host.pi.getSettings()).getCompactionSettings(context.model);
        return {
          enabled: effective.enabled,
          reserveTokens: BigInt(effective.reserveTokens),
          keepRecentTokens: BigInt(effective.keepRecentTokens),
        };
      } catch (error) {
        throw new ImportFailure({ tag: "unreadable", val: errorText(error) });
      }
    },
  };
}

/** The settings of one scope as they stand in its file. Pi's own reader, so that old names mean what they mean to Pi. */
function readScope(scope: Settings.Scope, cwd: string, projectTrusted: boolean): Record<string, unknown> {
  const manager = SettingsManager.create(cwd, undefined, { projectTrusted });
  const failure = manager.drainErrors().find((error) => error.scope === scope);
  if (failure !== undefined) {
    const file = failure.path === undefined ? "" : `${failure.path}: `;
    throw new ImportFailure({ tag: "unreadable", val: `${file}${failure.error.message}` });
  }
  return { ...(scope === "global" ? manager.getGlobalSettings() : manager.getProjectSettings()) };
}
