/**
 * What is there without a session: where to drop a file, that one is being read, or why one is not shown.
 */
import { Logo } from "./icons.tsx";
import type { Refused } from "./session.ts";
import { FileButton, ToolButtons, type Tools } from "./tools.tsx";
import { visible } from "./visible.ts";

export interface WelcomeProps {
  readonly refused: { readonly file: string; readonly refused: Refused } | undefined;
  /** Whether a link into a session was followed. */
  readonly isLinked: boolean;
  readonly open: (file: File) => void;
  readonly openExample: () => void;
  readonly tools: Tools;
}

export function Welcome({ refused, isLinked, open, openExample, tools }: WelcomeProps) {
  return (
    <div class="welcome">
      <header>
        <ToolButtons {...tools} />
      </header>
      <main>
        <Logo />
        <h1>Read a Pi session</h1>
        <p class="lead">
          See what the model can see: every context window, its notes, and the whole searchable history.
        </p>
        <div class="target">
          {refused && (
            <div class="refusal" role="alert">
              <strong>{visible(refused.file)} cannot be shown.</strong>
              <p>
                {sentence(refused.refused.problem)} {refused.refused.remedy}
              </p>
            </div>
          )}
          {refused ? (
            <p>Drop another file here, or choose one.</p>
          ) : (
            <p>
              Drop a session file here. Pi keeps them as <code>.jsonl</code> in <code>~/.pi/agent/sessions</code>
            </p>
          )}
          <p class="choices">
            <FileButton open={open} class="primary">
              Choose a file…
            </FileButton>
            <button type="button" class="secondary" onClick={openExample}>
              Open the example
            </button>
          </p>
          {isLinked && <p class="hint">The link you followed is opened when its session file is.</p>}
        </div>
        <p class="privacy">
          Nothing is uploaded. The file is read here, in your browser, by the same sandboxed component that serves the
          model, and this page is not allowed to connect to anything.
        </p>
      </main>
    </div>
  );
}

export interface LoadingProps {
  readonly file: string;
  readonly bytes: number;
  readonly size: number;
  readonly cancel: () => void;
}

export function Loading({ file, bytes, size, cancel }: LoadingProps) {
  const isRead = bytes >= size;
  return (
    <div class="welcome">
      <header />
      <main>
        <Logo />
        <h1>{isRead ? "Arranging" : "Reading"} the session</h1>
        <p class="lead">{visible(file)}</p>
        <progress aria-label={`Reading ${file}`} max={size || 1} value={bytes} />
        <p class="hint">
          {megabytes(bytes)} of {megabytes(size)} MB
        </p>
        <p class="choices">
          <button type="button" class="secondary" onClick={cancel}>
            Cancel
          </button>
        </p>
      </main>
    </div>
  );
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
