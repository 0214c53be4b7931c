/**
 * Keys of the whole page. They do nothing while the person is typing, a dialog is open, or another key is held that makes a
 * command of the browser.
 */
import { useLayoutEffect, useRef } from "preact/hooks";

/** What a key does. `false` leaves it to the browser after all. */
export type Keys = Readonly<Record<string, () => unknown>>;

export function useKeys(keys: Keys): void {
  // Those of the latest rendering, at once: a key may follow another one faster than effects follow a rendering.
  const latest = useRef(keys);
  latest.current = keys;
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { key, target } = event;
      const isChord = event.ctrlKey || event.metaKey || event.altKey;
      if (event.defaultPrevented || isChord || !Object.hasOwn(latest.current, key)) return;
      const isField = target instanceof HTMLElement && target.matches("input, select, textarea");
      if ((isField && key !== "Escape") || document.querySelector("dialog[open]") !== null) return;
      if (latest.current[key]?.() !== false) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
