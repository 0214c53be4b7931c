/**
 * The history of one window, as a conversation. Only what is in sight is there: however long the window is, the browser holds
 * a few screens of it.
 */
import type { RefObject } from "preact";
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { Item } from "./item.tsx";
import { isFoldable } from "./item-state.ts";
import { useKeys } from "./keys.ts";
import { items as counted } from "./navigation.tsx";
import type { SessionWindow } from "./outline.ts";
import type { ItemRow, Session } from "./session.ts";
import { CopyButton } from "./tools.tsx";
import { visible } from "./visible.ts";
import { WindowHistory } from "./window-history.ts";

/** About how high an item is before it has been seen, in pixels. */
const USUAL_HEIGHT = 60;

export interface WindowViewProps {
  readonly session: Session;
  readonly window: SessionWindow;
  /** The item that is linked to, and which of its characters. */
  readonly item: string | undefined;
  readonly offset: number | undefined;
  readonly query: string | undefined;
}

export function WindowView({ session, window, item, offset = 0, query }: WindowViewProps) {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const history = useMemo(() => new WindowHistory(session, window, () => redraw(undefined)), [session, window]);
  const [current, setCurrent] = useState(0);
  const [isLost, setLost] = useState(false);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  /** The place of the item that takes the focus as soon as it is there. */
  const focusing = useRef<number>(null);

  const moveTo = (index: number, align: "nearest" | "start"): void => {
    const next = Math.min(Math.max(index, 0), window.items - 1);
    focusing.current = next;
    setCurrent(next);
    list.current?.scrollToIndex(next, { align });
    redraw(undefined);
  };
  /** From the current item, or from where the person has scrolled to. */
  const moveBy = (by: number): void => {
    const handle = list.current;
    if (handle === null) return;
    const top = handle.getItemOffset(current);
    const isInSight =
      top + handle.getItemSize(current) > handle.scrollOffset && top < handle.scrollOffset + handle.viewportSize;
    const isChosen = scroller.current?.contains(document.activeElement) === true;
    if (isInSight && isChosen) moveTo(current + by, "nearest");
    else moveTo(handle.findItemIndex(handle.scrollOffset), "nearest");
  };
  const withFocused = (act: (row: ItemRow) => unknown): unknown => {
    const row = history.at(current);
    const isFocused = focusedArticle()?.dataset.item === row?.item_id;
    return row !== undefined && isFocused ? act(row) : false;
  };

  useEffect(() => {
    if (item === undefined) return;
    let isWanted = true;
    void history.reveal(item, offset).then((index) => {
      if (!isWanted) return;
      setLost(index === undefined);
      if (index !== undefined) moveTo(index, "start");
    });
    return () => {
      isWanted = false;
    };
  }, [history, item, offset]);

  useKeys({
    j: () => moveBy(1),
    k: () => moveBy(-1),
    ArrowDown: () => withFocused(() => moveBy(1)),
    ArrowUp: () => withFocused(() => moveBy(-1)),
    g: () => moveTo(0, "start"),
    G: () => moveTo(window.items - 1, "nearest"),
    Enter: () =>
      withFocused((row) => {
        if (!isFoldable(row) || document.activeElement?.localName !== "article") return false;
        const state = history.state(row);
        return history.show(row, { ...state, isOpen: !state.isOpen });
      }),
    c: () => withFocused(() => focusedArticle()?.querySelector<HTMLElement>("[data-copy-item] button")?.click()),
  });

  return (
    <>
      <header class="place">
        <h2>Window {window.number}</h2>
        <p>
          {counted(window.items)} · <code>{visible(window.id)}</code>
          <CopyButton label="Copy the name of the window" text={() => window.id} />
        </p>
      </header>
      {isLost && (
        <p class="notice warning" role="status">
          There is no item {visible(item ?? "")} in this window.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys */}
      <div class="scroller" ref={scroller} role="feed" aria-label={`Window ${window.number}`} tabIndex={0}>
        <Virtualizer
          ref={list}
          scrollRef={scroller}
          data={{ length: window.items } as ArrayLike<undefined>}
          itemSize={USUAL_HEIGHT}
          keepMounted={[current]}
        >
          {(_: undefined, index: number) => (
            <Row
              key={index}
              history={history}
              index={index}
              isCurrent={index === current}
              focusing={focusing}
              chosen={() => setCurrent(index)}
              query={query}
            />
          )}
        </Virtualizer>
      </div>
    </>
  );
}

function focusedArticle(): HTMLElement | null {
  return document.activeElement?.closest("article") ?? null;
}

interface RowProps {
  readonly history: WindowHistory;
  readonly index: number;
  readonly isCurrent: boolean;
  readonly focusing: RefObject<number | null>;
  readonly chosen: () => void;
  readonly query: string | undefined;
}

/** The place of an item, whether it has been fetched or not. */
function Row({ history, index, isCurrent, focusing, chosen, query }: RowProps) {
  const row = history.at(index);
  const article = useRef<HTMLElement>(null);
  const hasFocus = useRef(false);
  useEffect(() => {
    if (row === undefined) void history.fetch(index);
  }, [row, history, index]);
  /** The list hides an item until it has measured it, and what is hidden takes no focus. */
  const takeFocus = (): void => {
    if (focusing.current !== index || article.current === null) return;
    article.current.focus({ preventScroll: true });
    if (document.activeElement === article.current) focusing.current = null;
    else requestAnimationFrame(takeFocus);
  };
  useEffect(() => {
    // A button that had the focus may be gone with what it was for.
    if (hasFocus.current && document.activeElement === document.body) focusing.current = index;
    if (row !== undefined) takeFocus();
  });
  return (
    <article
      ref={article}
      class={`item ${row?.role ?? "coming"}`}
      tabIndex={isCurrent ? 0 : -1}
      aria-posinset={index + 1}
      aria-setsize={history.window.items}
      aria-label={row === undefined ? "Loading" : undefined}
      data-item={row?.item_id}
      onFocusIn={() => {
        hasFocus.current = true;
        chosen();
      }}
      onFocusOut={({ relatedTarget }) => {
        hasFocus.current = relatedTarget === null;
      }}
    >
      {row !== undefined && (
        <Item
          item={row}
          state={history.state(row)}
          read={history.reader(row)}
          change={(state) => history.show(row, state)}
          query={query}
        />
      )}
    </article>
  );
}
