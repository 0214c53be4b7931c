/**
 * One note, from its beginning on.
 */
import { useEffect, useState } from "preact/hooks";
import { Earlier, Later } from "./more.tsx";
import { characters } from "./navigation.tsx";
import { type Part, type Session, type Slice, ToolComplaint, whole } from "./session.ts";
import { CopyButton } from "./tools.tsx";
import { visible } from "./visible.ts";
import { Prose } from "./visible-text.tsx";

export interface NoteViewProps {
  readonly session: Session;
  readonly path: string;
  readonly query: string | undefined;
}

export function NoteView({ session, path, query }: NoteViewProps) {
  const [shown, setShown] = useState<Slice>();
  const [complaint, setComplaint] = useState<string>();
  const read = (part: Part): Promise<Slice> => session.readNote(path, part);
  useEffect(() => {
    read({ offset_chars: 0 }).then(setShown, (error: unknown) => {
      if (!(error instanceof ToolComplaint)) throw error;
      setComplaint(error.message);
    });
  }, [session, path]);
  const more = shown && { shown, read, change: setShown };
  return (
    <>
      <header class="place">
        <h2>{visible(path)}</h2>
        <p>
          {shown && characters(shown.total)}
          <CopyButton label="Copy the note" text={() => whole(read)} />
        </p>
      </header>
      {complaint !== undefined && (
        <p class="notice warning" role="status">
          {visible(complaint)}
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys */}
      <section class="scroller note" aria-label={path} tabIndex={0}>
        {shown && more && (
          <div class="sheet">
            <Earlier {...more} />
            <Prose text={shown.text} query={query} />
            <Later {...more} />
          </div>
        )}
      </section>
    </>
  );
}
