/**
 * The keys of the page, and what it does with a file.
 */
import type { RefObject } from "preact";

const KEYS = [
  [["j", "k"], "next, previous item"],
  [["Enter"], "unfold or fold it, follow a match"],
  [["c"], "copy it"],
  [["g", "G"], "first, last item"],
  [["[", "]"], "older, newer window"],
  [["/"], "search"],
  [["Esc"], "leave the search, close what is open"],
  [["?"], "this help"],
] as const;

export interface HelpProps {
  /** Whoever opens it. It closes by itself. */
  readonly dialog: RefObject<HTMLDialogElement | null>;
}

export function Help({ dialog }: HelpProps) {
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl>
        {KEYS.map(([keys, meaning]) => (
          <div key={meaning}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p>
        The search finds the exact text, upper and lower case told apart: it is the model's own. What you see is what
        its tools answer, in pages, and so is what is left out: thinking, images, and other branches.
      </p>
      <form method="dialog">
        <button type="submit" class="secondary">
          Close
        </button>
      </form>
    </dialog>
  );
}
