/**
 * What the built component finds in a session, called through the code that Pi calls it through.
 */
import { pathToFileURL } from "node:url";
import type { ExtensionAPI, ExtensionContext, SessionManager } from "@earendil-works/pi-coding-agent";
import type { Contents } from "../../harness/contents.ts";
import { PACKAGE } from "../../harness/pi-command.ts";
import { Capsule } from "../../src/capsule.ts";
import { loadComponent } from "../../src/component.ts";
import { registerTools } from "../../src/exports/tools.ts";
import { FakePi } from "./fake-pi.ts";
import { policy } from "./policy.ts";

type Row = Record<string, unknown>;
type Call = (tool: string, args: object) => Promise<string>;

/** Asks for all that the session holds, in small pages, so that these are followed. */
export async function componentReading(sessionManager: SessionManager): Promise<Contents> {
  const pi = new FakePi();
  const api = { ...pi.api, sendMessage: () => {}, getSettings: () => ({}) } as unknown as ExtensionAPI;
  const context = { ...pi.context, sessionManager, isProjectTrusted: () => false } as unknown as ExtensionContext;
  const capsule = new Capsule(api, await loadComponent(pathToFileURL(`${PACKAGE}/component/`)), policy);
  registerTools(api, capsule);
  await capsule.open(context, "lifecycle.session-started", (guest) => guest.lifecycle.sessionStarted("resume"));
  try {
    return await read(async (name, args) => {
      const tool = pi.tools.find((registered) => registered.name === name);
      const execute = tool?.execute as (...args: unknown[]) => Promise<{ content: [{ text: string }] }>;
      const { content } = await execute("1", args, undefined, undefined, context);
      return content[0].text;
    });
  } finally {
    await capsule.close("lifecycle.session-shut-down", (guest) => guest.lifecycle.sessionShutDown("quit"));
  }
}

async function read(call: Call): Promise<Contents> {
  const { windows } = JSON.parse(await call("history_list_windows", { recent_first: false }));
  const items = await rows(call, "history_list_items", "items", { recent_first: false, limit: 7 });
  const notes = await rows(call, "notes_list_files", "files", { file_order_by: "name", max_results: 2 });
  return {
    windows,
    items: await each(items, (row) => item(call, row)),
    notes: await each(notes, (row) => note(call, row)),
  };
}

async function item(call: Call, { truncated: _, total_chars: __, truncated_content: ___, ...row }: Row): Promise<Row> {
  return { ...row, content: await text(call, "history_read_item", { window_id: row.window_id, item_id: row.item_id }) };
}

async function note(call: Call, { size_bytes: _, created_at, updated_at, ...row }: Row): Promise<Row> {
  return {
    ...row,
    text: await text(call, "notes_read_file", { path: row.path }),
    created_at: Date.parse(String(created_at)),
    updated_at: Date.parse(String(updated_at)),
  };
}

async function each(rows: readonly Row[], change: (row: Row) => Promise<Row>): Promise<readonly Row[]> {
  const changed: Row[] = [];
  for (const row of rows) changed.push(await change(row));
  return changed;
}

/** The rows of all pages. */
async function rows(call: Call, tool: string, key: string, args: object): Promise<readonly Row[]> {
  const all: Row[] = [];
  for (let cursor = 0; ; ) {
    const { [key]: page, next_cursor } = JSON.parse(await call(tool, { ...args, cursor }));
    all.push(...page);
    if (next_cursor === null) return all;
    cursor = next_cursor;
  }
}

/** A whole text, put together from parts. */
async function text(call: Call, tool: string, args: object): Promise<string> {
  let whole = "";
  for (let offset_chars = 0; ; ) {
    const answer = await call(tool, { ...args, offset_chars, limit_chars: 50 });
    const end = answer.indexOf("\n");
    whole += answer.slice(end + 1);
    const [, next] = /continue at offset_chars=(\d+)\]$/.exec(answer.slice(0, end)) ?? [];
    if (next === undefined) return whole;
    offset_chars = Number(next);
  }
}
