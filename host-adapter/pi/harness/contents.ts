/**
 * What a stored session holds: its windows, items and notes, with members named as the tools name them.
 *
 * {@link secondReading} is that of `bench/`, which knows nothing of the component. The component has to find the same,
 * in every host.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { notesOf } from "../bench/notes.ts";
import { type Item, itemsOf, windowsOf } from "../bench/projection.ts";
import { hex, renamed } from "./stable.ts";

export interface Contents {
  /** Oldest first. */
  readonly windows: readonly { readonly window_id: string; readonly item_count: number }[];
  /** In the order of the branch. */
  readonly items: readonly object[];
  /** By path; times in milliseconds. */
  readonly notes: readonly object[];
}

/**
 * Reads a session file by way of Pi's own SessionManager. It gets a copy, because it brings old files up to date.
 *
 * The first version of the format had no ids, and Pi gives random ones; here entries are counted, as the other host
 * does.
 */
export async function contentsOf(
  file: string,
  read: (manager: SessionManager) => Contents | Promise<Contents>,
): Promise<Contents> {
  const directory = mkdtempSync(join(tmpdir(), "pi-capsule-contents-"));
  try {
    const copy = join(directory, "session.jsonl");
    copyFileSync(file, copy);
    const manager = SessionManager.open(copy);
    const ids = manager.getEntries().map(({ id }) => id);
    const contents = await read(manager);
    return isFirstVersion(file) ? JSON.parse(renamed(JSON.stringify(contents), ids, (at) => hex(at, 8))) : contents;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function isFirstVersion(file: string): boolean {
  const [header = ""] = readFileSync(file, "utf8").split("\n", 1);
  return JSON.parse(header).version === undefined;
}

export function secondReading(manager: SessionManager): Contents {
  const branch = manager.getBranch();
  const items = itemsOf(manager.getSessionId(), branch);
  const notes = [...notesOf(branch).values()].sort((left, right) => (left.path < right.path ? -1 : 1));
  return {
    windows: windowsOf(manager.getSessionId(), branch).map(({ id }) => ({
      window_id: id,
      item_count: items.filter(({ windowId }) => windowId === id).length,
    })),
    items: items.map(itemRow),
    notes: notes.map(({ path, text, stale, createdAt, updatedAt }) => ({
      path,
      text,
      stale,
      created_at: createdAt,
      updated_at: updatedAt,
    })),
  };
}

function itemRow(item: Item): object {
  const { windowId, itemId, role, toolName, toolError, outputTruncated, fullOutputPath } = item;
  return {
    window_id: windowId,
    item_id: itemId,
    role,
    ...(toolName === undefined ? {} : { tool_name: toolName }),
    ...(toolError ? { tool_error: true } : {}),
    ...(outputTruncated ? { output_truncated: true } : {}),
    ...(fullOutputPath === undefined ? {} : { full_output_path: fullOutputPath }),
    content: item.text(),
  };
}
