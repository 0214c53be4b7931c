/**
 * `session-writer`: custom entries at the end of the active branch.
 */
import type * as SessionWriter from "../../component/types/interfaces/pi-extension-session-writer.js";
import type { Host } from "../host.ts";
import { refuseCustomType } from "../policy.ts";
import { parseStored } from "../stored.ts";
import { errorText, plainLine } from "../text.ts";
import { deny, ImportFailure } from "./failure.ts";

export function sessionWriter(host: Host): typeof SessionWriter {
  return {
    append: (customType, json) => {
      host.request();
      const { sessionManager } = host.session().context;
      deny(host, "entry type", refuseCustomType(host.policy, customType));
      const data = parse(json);
      try {
        host.pi.appendEntry(customType, data);
      } catch (error) {
        tellUnwritten(host, error);
        throw new ImportFailure({ tag: "failed", val: errorText(error) });
      }
      const id = sessionManager.getLeafId();
      if (id === null) throw new ImportFailure({ tag: "failed", val: "the session took no entry" });
      return id;
    },
  };
}

/** The guest goes on with what it has in memory, and tries again at the next change. */
function tellUnwritten(host: Host, error: unknown): void {
  const what = `pi-capsule: the session file cannot be written (${plainLine(errorText(error))})`;
  host.tellOnce("append", "error", `${what}. What has changed since will be forgotten when Pi ends.`);
}

function parse(json: string): unknown {
  try {
    return parseStored(json);
  } catch (error) {
    throw new ImportFailure({ tag: "invalid-data", val: errorText(error) });
  }
}
