/**
 * What is shown, as the address says: `#window`, `#window/item`, `#note=path`, `#search=text`. So links and the browser's way
 * back work, and no state beside it says the same.
 */
import { useEffect, useState } from "preact/hooks";
import type { Role } from "./session.ts";

export type Route =
  | { readonly at: "start" }
  | { readonly at: "window"; readonly window: string; readonly item?: string; readonly offset?: number }
  | { readonly at: "note"; readonly path: string }
  | { readonly at: "search"; readonly query: string; readonly role?: Role };

export function parseRoute(hash: string): Route {
  const text = hash.replace(/^#/, "");
  if (text === "") return { at: "start" };
  const [, kind, rest = ""] = /^(note|search)=(.*)$/.exec(text) ?? [];
  if (kind === "note") return { at: "note", path: decoded(rest) };
  const [first = "", second, third] = (kind === "search" ? rest : text).split("/");
  if (kind === "search") {
    return { at: "search", query: decoded(first), ...(second ? { role: decoded(second) as Role } : {}) };
  }
  const offset = Number(third ?? Number.NaN);
  return {
    at: "window",
    window: decoded(first),
    ...(second ? { item: decoded(second) } : {}),
    ...(Number.isSafeInteger(offset) ? { offset } : {}),
  };
}

export function hashOf(route: Route): string {
  switch (route.at) {
    case "start":
      return "#";
    case "window": {
      const item = route.item === undefined ? "" : `/${encoded(route.item)}`;
      return `#${encoded(route.window)}${item}${route.offset === undefined ? "" : `/${route.offset}`}`;
    }
    case "note":
      return `#note=${encoded(route.path)}`;
    case "search":
      return `#search=${encoded(route.query)}${route.role === undefined ? "" : `/${route.role}`}`;
  }
}

/** Goes there; `replace` leaves no step to go back to. */
export function go(route: Route, { replace = false } = {}): void {
  if (!replace) {
    location.hash = hashOf(route);
    return;
  }
  history.replaceState(null, "", hashOf(route));
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return parseRoute(hash);
}

/** Colons stay: windows have them in their names. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll("%3A", ":");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
