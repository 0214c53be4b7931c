/**
 * Light or dark: as the system says, until the person chooses.
 */
import { useLayoutEffect, useState } from "preact/hooks";

export type Theme = "system" | "light" | "dark";

const NEXT = { system: "light", light: "dark", dark: "system" } as const satisfies Record<Theme, Theme>;
const KEY = "pi-capsule-theme";

/** The theme, and how to go to the next one. */
export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState(stored);
  // Before the next picture, so that none shows the theme of before.
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = theme;
    store(theme);
  }, [theme]);
  return [theme, () => setTheme(NEXT[theme])];
}

function stored(): Theme {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === "light" || theme === "dark" ? theme : "system";
  } catch {
    return "system";
  }
}

/** A browser that keeps nothing for this page begins with the system's choice each time. */
function store(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {}
}
