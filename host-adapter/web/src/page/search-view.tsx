/**
 * What a search has found: notes first, then items, the newest first, each with the text around its first match and a way
 * there.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { counted } from "../counted.ts";
import { useKeys } from "./keys.ts";
import type { Outline } from "./outline.ts";
import { ROLES } from "./roles.ts";
import { go, hashOf } from "./route.ts";
import type { ItemRow, NoteMatches, Role, Session } from "./session.ts";
import { visible } from "./visible.ts";
import { Marked } from "./visible-text.tsx";

/** How much is shown around a match, in characters: before it, and in all. */
const BEFORE = 80;
const AROUND = 280;

interface Hit {
  readonly item: ItemRow;
  readonly excerpt: string;
}

interface Found {
  readonly notes: readonly NoteMatches[];
  readonly hits: readonly Hit[];
  readonly next: number | null;
}

export interface SearchViewProps {
  readonly session: Session;
  readonly outline: Outline;
  readonly query: string;
  readonly role: Role | undefined;
}

export function SearchView({ session, outline, query, role }: SearchViewProps) {
  const [found, setFound] = useState<Found>();
  const [hasFailed, setFailed] = useState(false);
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    let isWanted = true;
    setFound(undefined);
    setFailed(false);
    find(session, query, role).then(
      (answer) => isWanted && setFound(answer),
      (error) => {
        if (isWanted) setFailed(true);
        throw error;
      },
    );
    return () => {
      isWanted = false;
    };
  }, [session, query, role]);

  const more = async (cursor: number): Promise<void> => {
    const page = await findItems(session, query, role, cursor);
    setFound((before) => before && { ...before, hits: [...before.hits, ...page.hits], next: page.next });
  };
  const move = (by: number): void => {
    const hits = [...(list.current?.querySelectorAll<HTMLElement>(".hit") ?? [])];
    const at = hits.indexOf(document.activeElement as HTMLElement);
    hits[Math.min(Math.max(at + by, 0), hits.length - 1)]?.focus();
  };
  useKeys({ j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1) });

  const numbers = new Map(outline.windows.map(({ id, number }) => [id, number]));
  return (
    <>
      <header class="place">
        <h2>Search</h2>
        <p role="status">{hasFailed ? "The search failed" : found === undefined ? "Searching…" : summary(found)}</p>
        <select
          aria-label="Which items"
          value={role ?? ""}
          onChange={({ currentTarget: { value } }) =>
            go({ at: "search", query, ...(value === "" ? {} : { role: value as Role }) }, { replace: true })
          }
        >
          <option value="">All roles</option>
          {Object.entries(ROLES).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </header>
      <section class="scroller results" ref={list} aria-label="What was found">
        {found?.notes.map(({ path, matches, matches_total }) => (
          <a class="hit note" key={path} href={hashOf({ at: "note", path })}>
            <span class="where">
              <span class="role">Note</span> {visible(path)}
            </span>
            {matches.map(({ line, text }) => (
              <span class="excerpt" key={line}>
                <span class="line">{line}</span>
                <Marked text={visible(text)} query={query} />
              </span>
            ))}
            {matches_total > matches.length && (
              <span class="hint">and {matches_total - matches.length} more lines</span>
            )}
          </a>
        ))}
        {found?.hits.map(({ item, excerpt }) => (
          <a class={`hit ${item.role}`} key={item.item_id} href={hashOf(place(item))}>
            <span class="where">
              <span class="role">{ROLES[item.role]}</span>
              {item.tool_name !== undefined && <code>{visible(item.tool_name)}</code>}
              <span class="window">{windowName(numbers.get(item.window_id), item.window_id)}</span>
            </span>
            <span class="excerpt">
              <Marked text={visible(excerpt.replace(/\s+/g, " "))} query={query} />
            </span>
          </a>
        ))}
        {found !== undefined && found.next !== null && (
          <button type="button" class="more" onClick={() => void more(found.next as number)}>
            More results
          </button>
        )}
        {found !== undefined && found.hits.length === 0 && found.notes.length === 0 && (
          <div class="nothing">
            <p>Nothing holds exactly this text. Upper and lower case are told apart, as in the model's own search.</p>
          </div>
        )}
      </section>
    </>
  );
}

async function find(session: Session, query: string, role: Role | undefined): Promise<Found> {
  const [{ files }, found] = await Promise.all([
    role === undefined ? session.searchNotes(query) : { files: [] },
    findItems(session, query, role, 0),
  ]);
  return { notes: files, ...found };
}

async function findItems(
  session: Session,
  query: string,
  role: Role | undefined,
  cursor: number,
): Promise<Pick<Found, "hits" | "next">> {
  const { items, next_cursor } = await session.search(query, role === undefined ? {} : { role }, cursor);
  const hits = await Promise.all(items.map(async (item) => ({ item, excerpt: await excerptOf(session, item) })));
  return { hits, next: next_cursor };
}

async function excerptOf(session: Session, item: ItemRow): Promise<string> {
  const offset_chars = Math.max(0, (item.match_offset_chars ?? 0) - BEFORE);
  const { text, from, to, total } = await session.readItem(item, { offset_chars, limit_chars: AROUND });
  return `${from > 0 ? "…" : ""}${text}${to < total ? "…" : ""}`;
}

function place({ window_id: window, item_id: item, match_offset_chars: offset }: ItemRow) {
  return { at: "window", window, item, ...(offset === undefined ? {} : { offset }) } as const;
}

function windowName(number: number | undefined, id: string): string {
  return number === undefined ? visible(id) : `Window ${number}`;
}

function summary({ notes, hits, next }: Found): string {
  const parts = [
    notes.length > 0 ? counted(notes.length, "note", "notes") : "",
    hits.length > 0 ? counted(hits.length, "item", "items") : "",
  ].filter(Boolean);
  if (parts.length === 0) return "Nothing found";
  return `${parts.join(" and ")}${next === null ? "" : ", and more"}`;
}
