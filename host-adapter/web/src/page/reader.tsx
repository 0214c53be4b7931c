/**
 * An open session: its windows and notes at the side, the search above, and in the middle what the address names.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon, Logo } from "./icons.tsx";
import { useKeys } from "./keys.ts";
import { Moment } from "./moment.tsx";
import { Navigation } from "./navigation.tsx";
import { NoteView } from "./note-view.tsx";
import type { Outline, SessionWindow } from "./outline.ts";
import { go, hashOf, type Route, useRoute } from "./route.ts";
import { SearchView } from "./search-view.tsx";
import { type Level, type Session, titleOf } from "./session.ts";
import { FileButton, IconButton, ToolButtons, type Tools } from "./tools.tsx";
import { visible } from "./visible.ts";
import { WindowView } from "./window-view.tsx";

/** Something that was said to the person, and stays until they put it away. */
export interface Notice {
  readonly level: Level;
  readonly text: string;
}

export interface ReaderProps {
  readonly session: Session;
  readonly outline: Outline;
  readonly notices: readonly Notice[];
  readonly dismiss: (notice: Notice) => void;
  readonly close: () => void;
  readonly open: (file: File) => void;
  readonly tools: Tools;
}

/** How long after the last key the search begins, in milliseconds. */
const SEARCH_AFTER = 200;

export function Reader({ session, outline, notices, dismiss, close, open, tools }: ReaderProps) {
  const route = useRoute();
  const field = useRef<HTMLInputElement>(null);
  /** What was searched for last: it stays marked in what the matches lead to. */
  const [query, setQuery] = useState(route.at === "search" ? route.query : "");
  const [isSideOpen, setSideOpen] = useState(false);
  const window = windowOf(route, outline);

  const searched = route.at === "search" ? route.query : undefined;
  useEffect(() => {
    // What is being typed is not taken back by a step that has come late.
    if (searched !== undefined && document.activeElement !== field.current) setQuery(searched);
  }, [searched]);
  useEffect(() => setSideOpen(false), [hashOf(route)]);

  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const search = (text: string): void => {
    setQuery(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const role = route.at === "search" ? route.role : undefined;
      if (text === "") leaveSearch();
      else go({ at: "search", query: text, ...(role ? { role } : {}) }, { replace: route.at === "search" });
    }, SEARCH_AFTER);
  };
  const leaveSearch = (): void => {
    clearTimeout(timer.current);
    setQuery("");
    field.current?.blur();
    if (route.at === "search") go({ at: "start" });
  };
  const step = (by: number): void => {
    const at = outline.windows.findIndex(({ id }) => id === window?.id);
    const next = outline.windows[at + by];
    if (next !== undefined) go({ at: "window", window: next.id });
  };

  useKeys({
    "/": () => field.current?.select(),
    Escape: () => (isSideOpen ? setSideOpen(false) : leaveSearch()),
    "[": () => step(1),
    "]": () => step(-1),
  });

  return (
    <div class="reader">
      <header class="top">
        <button type="button" class="home" onClick={close} title="Close this session">
          <Logo />
          <span class="unseen">Close this session</span>
        </button>
        <div class="title">
          <h1>{titleOf(session)}</h1>
          <p>
            <span class="cwd">{visible(session.opened.cwd)}</span>
            {session.opened.createdAt !== undefined && <Moment at={session.opened.createdAt} />}
          </p>
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: the element `search` is not known to every browser yet */}
        <form role="search" onSubmit={(event) => event.preventDefault()}>
          <Icon name="search" />
          <input
            ref={field}
            type="search"
            value={query}
            placeholder="Search all windows and notes"
            aria-label="Search all windows and notes"
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => search(currentTarget.value)}
            onKeyDown={({ key }) => key === "Enter" && document.querySelector<HTMLElement>(".hit")?.focus()}
          />
          <kbd>/</kbd>
        </form>
        <div class="tools">
          <FileButton open={open} class="icon-button">
            <Icon name="open" />
            <span class="unseen">Open another file</span>
          </FileButton>
          <ToolButtons {...tools} />
        </div>
      </header>
      <div class="notices">
        {notices.map((notice) => (
          <p class={`notice ${notice.level}`} role="status" key={notice.text}>
            <span>{visible(notice.text)}</span>
            <IconButton icon="close" label="Put this notice away" press={() => dismiss(notice)} />
          </p>
        ))}
      </div>
      <button
        type="button"
        class="side-switch"
        aria-expanded={isSideOpen}
        aria-controls="side"
        onClick={() => setSideOpen(!isSideOpen)}
      >
        <span>{placeName(route, window)}</span>
        <Icon name="chevron" />
      </button>
      <Navigation outline={outline} route={route} window={window} isOpen={isSideOpen} />
      <main>
        <Place session={session} outline={outline} route={route} window={window} query={query || undefined} />
      </main>
    </div>
  );
}

interface PlaceProps {
  readonly session: Session;
  readonly outline: Outline;
  readonly route: Route;
  readonly window: SessionWindow | undefined;
  readonly query: string | undefined;
}

function Place({ session, outline, route, window, query }: PlaceProps) {
  if (route.at === "note") return <NoteView key={route.path} session={session} path={route.path} query={query} />;
  if (route.at === "search") {
    const { query: wanted, role } = route;
    return <SearchView session={session} outline={outline} query={wanted} role={role} />;
  }
  if (window === undefined || window.items === 0) {
    return (
      <div class="nothing">
        <p>{window ? "Nothing was said here yet." : "This session has no such window: the link is of another one."}</p>
      </div>
    );
  }
  const { item, offset } = route.at === "window" ? route : {};
  return <WindowView key={window.id} session={session} window={window} item={item} offset={offset} query={query} />;
}

/** The window that is shown: the newest one until another is chosen. */
function windowOf(route: Route, { windows }: Outline): SessionWindow | undefined {
  if (route.at === "window") return windows.find(({ id }) => id === route.window);
  return route.at === "start" ? windows[0] : undefined;
}

function placeName(route: Route, window: SessionWindow | undefined): string {
  if (route.at === "note") return visible(route.path);
  if (route.at === "search") return "Search";
  return window === undefined ? "Windows and notes" : `Window ${window.number}`;
}
