/**
 * `session-reader`: the session and the entries of its active branch, in pages.
 */
import type * as SessionReader from "../../component/types/interfaces/pi-extension-session-reader.js";
import { bodyOf, header } from "../entries.ts";
import type { Host } from "../host.ts";
import { changesSince, type ReadableBranch, readBodies } from "../pages.ts";
import { refuseCustomType } from "../policy.ts";

export function sessionReader(host: Host): typeof SessionReader {
  const branch = readable(host);
  return {
    session: () => {
      const manager = host.session().context.sessionManager;
      const name = manager.getSessionName();
      const created = Date.parse(manager.getHeader()?.timestamp ?? "");
      return {
        id: manager.getSessionId(),
        cwd: manager.getCwd(),
        pathStyle: process.platform === "win32" ? "windows" : "posix",
        ...(name === undefined ? {} : { name }),
        ...(Number.isNaN(created) ? {} : { createdAt: BigInt(created) }),
      };
    },
    changesSince: (cursor) => changesSince(branch, cursor),
    readBodies: (ids) => readBodies(branch, ids),
  };
}

/** Pi's entries, converted when the guest gets to them. */
function readable(host: Host): ReadableBranch {
  const mayReadData = (customType: string): boolean => refuseCustomType(host.policy, customType) === undefined;
  return {
    position: (id) => host.session().branch.position(id),
    *headers(from) {
      for (const entry of host.session().branch.from(from)) yield header(entry, mayReadData);
    },
    body: (id) => {
      const entry = host.session().branch.entry(id);
      return entry === undefined ? undefined : bodyOf(entry);
    },
  };
}
