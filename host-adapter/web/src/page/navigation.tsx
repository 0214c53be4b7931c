/**
 * The side of the page: the windows of the session, newest first, and the notes beneath.
 */
import { useEffect, useRef } from "preact/hooks";
import { Moment } from "./moment.tsx";
import type { Outline, SessionWindow } from "./outline.ts";
import { hashOf, type Route } from "./route.ts";
import { visible } from "./visible.ts";

export interface NavigationProps {
  readonly outline: Outline;
  readonly route: Route;
  readonly window: SessionWindow | undefined;
  readonly isOpen: boolean;
}

export function Navigation({ outline, route, window: shown, isOpen }: NavigationProps) {
  const { windows, omitted, notes } = outline;
  const side = useRef<HTMLElement>(null);
  useEffect(() => {
    side.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [shown, route.at, isOpen]);
  return (
    <nav ref={side} id="side" class={isOpen ? "side open" : "side"} aria-label="Windows and notes">
      <section class="windows">
        <h2>
          Windows <span class="count">{windows.length + omitted}</span>
        </h2>
        <ol>
          {windows.map((window) => (
            <li key={window.id}>
              <a
                href={hashOf({ at: "window", window: window.id })}
                aria-current={window === shown ? "page" : undefined}
              >
                <span class="name">
                  Window {window.number}
                  {window === windows[0] && <span class="tag">latest</span>}
                </span>
                <span class="count">{items(window.items)}</span>
                <span class="id">{visible(window.id)}</span>
              </a>
            </li>
          ))}
        </ol>
        {omitted > 0 && <p class="hint">{omitted} older windows are not listed; the search finds what is in them.</p>}
      </section>
      <section class="notes">
        <h2>
          Notes <span class="count">{notes.length}</span>
        </h2>
        {notes.length === 0 && <p class="hint">The model has written none.</p>}
        <ul>
          {notes.map(({ path, size_bytes, stale, updated_at }) => (
            <li key={path}>
              <a
                href={hashOf({ at: "note", path })}
                aria-current={route.at === "note" && route.path === path ? "page" : undefined}
              >
                <span class="name">
                  {visible(path)}
                  {stale && <span class="tag old">out of date</span>}
                </span>
                <span class="count">{size(size_bytes)}</span>
                <span class="id">
                  <Moment at={Date.parse(updated_at)} />
                </span>
              </a>
            </li>
          ))}
        </ul>
      </section>
    </nav>
  );
}

const NUMBER = new Intl.NumberFormat("en");

export function items(count: number): string {
  return `${NUMBER.format(count)} ${count === 1 ? "item" : "items"}`;
}

export function characters(count: number): string {
  return `${NUMBER.format(count)} ${count === 1 ? "character" : "characters"}`;
}

function size(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`;
}
