/**
 * Small things that several parts of the page have: buttons with an icon, the button that asks for a file, copying.
 */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "./icons.tsx";
import type { Theme } from "./theme.ts";

/** What the page offers everywhere. */
export interface Tools {
  readonly theme: Theme;
  readonly nextTheme: () => void;
  readonly help: () => void;
}

const THEMES = { system: "as the system", light: "light", dark: "dark" } as const satisfies Record<Theme, string>;

export function ToolButtons({ theme, nextTheme, help }: Tools) {
  return (
    <>
      <IconButton icon={theme} label={`Theme: ${THEMES[theme]}`} press={nextTheme} />
      <IconButton icon="help" label="Help and keys" press={help} />
    </>
  );
}

export interface IconButtonProps {
  readonly icon: Parameters<typeof Icon>[0]["name"];
  readonly label: string;
  readonly press: () => void;
}

export function IconButton({ icon, label, press }: IconButtonProps) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={press}>
      <Icon name={icon} />
    </button>
  );
}

export interface FileButtonProps {
  readonly open: (file: File) => void;
  readonly class: string;
  readonly children: ComponentChildren;
}

/** The browser's own field for a file, which looks like a button. */
export function FileButton({ open, class: look, children }: FileButtonProps) {
  return (
    <label class={look}>
      {children}
      <input
        type="file"
        accept=".jsonl"
        class="unseen"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          // The same file can be chosen again.
          currentTarget.value = "";
          if (file !== undefined) open(file);
        }}
      />
    </label>
  );
}

export interface CopyButtonProps {
  readonly label: string;
  readonly text: () => Promise<string> | string;
  readonly icon?: "copy" | "link";
}

/** Not there where the browser lets no page copy, which is so without a secure connection. */
export function CopyButton({ label, text, icon = "copy" }: CopyButtonProps) {
  const [isDone, setDone] = useState(false);
  if (navigator.clipboard === undefined) return null;
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(await text());
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return <IconButton icon={isDone ? "done" : icon} label={isDone ? "Copied" : label} press={() => void copy()} />;
}
