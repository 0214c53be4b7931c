/**
 * `session-reader`: the session and the entries of its active branch, in pages.
 */
import type * as SessionReader from "../../component/types/interfaces/pi-extension-session-reader.js";
import { bodyOf, bodySize, header, jsonBytes } from "../entries.ts";
import type { Host } from "../host.ts";
import { refuseCustomType } from "../policy.ts";

/** The limits of the contract: entries of a page, and JSON or text of one answer. */
const PAGE_ENTRIES = 1000;
const PAGE_BYTES = 1024 * 1024;

export function sessionReader(host: Host): typeof SessionReader {
  const mayReadData = (customType: string): boolean => refuseCustomType(host.policy, customType) === undefined;

  const pageFrom = (position: number): SessionReader.Page => {
    const entries: SessionReader.Entry[] = [];
    let bytes = 0;
    for (const stored of host.session().branch.from(position)) {
      if (entries.length >= PAGE_ENTRIES || bytes > PAGE_BYTES) return { entries, more: true };
      const entry = header(stored, mayReadData);
      entries.push(entry);
      bytes += jsonBytes(entry);
    }
    return { entries, more: false };
  };

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

    changesSince: (cursor) => {
      const position = cursor === undefined ? undefined : host.session().branch.position(cursor);
      return position === undefined
        ? { tag: "replaced", val: pageFrom(0) }
        : { tag: "appended", val: pageFrom(position + 1) };
    },

    readBodies: (ids) => {
      const bodies: (SessionReader.Body | undefined)[] = [];
      let size = 0;
      for (const id of ids) {
        const entry = host.session().branch.entry(id);
        const body = entry === undefined ? undefined : bodyOf(entry);
        bodies.push(body);
        size += body === undefined ? 0 : bodySize(body);
        if (size >= PAGE_BYTES) break;
      }
      return bodies;
    },
  };
}
