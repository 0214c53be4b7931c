/**
 * Text as it is: nothing of it is interpreted but what is marked as code, which is set as code, and what is searched for,
 * which is marked.
 */
import type { ComponentChildren } from "preact";
import { visible } from "./visible.ts";

/** A fenced block with its fences, or a span of code within a line. */
const CODE = /(^|\n)(```|~~~)[^\n]*\n[\s\S]*?(?:\n\2(?=\n|$)|$)|`[^`\n]+`/g;

export interface TextProps {
  readonly text: string;
  /** What to mark. */
  readonly query: string | undefined;
}

/** Prose, with code in it. */
export function Prose({ text, query }: TextProps) {
  const shown = visible(text);
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of shown.matchAll(CODE)) {
    const [whole, lead = ""] = match;
    const code = whole.slice(lead.length);
    parts.push(<Marked text={shown.slice(end, match.index + lead.length)} query={query} />);
    const content = <Marked text={code.replace(/^`([^`]+)`$/, "$1")} query={query} />;
    parts.push(code.includes("\n") ? <code class="block">{content}</code> : <code>{content}</code>);
    end = match.index + whole.length;
  }
  return (
    <div class="prose">
      {parts}
      <Marked text={shown.slice(end)} query={query} />
    </div>
  );
}

/** Text all of which is code. */
export function Code({ text, query }: TextProps) {
  return (
    <pre class="code">
      <Marked text={visible(text)} query={query} />
    </pre>
  );
}

/** A text with all places marked where the query stands. */
export function Marked({ text, query }: TextProps) {
  if (!query || !text.includes(query)) return <>{text}</>;
  const [first = "", ...rest] = text.split(query);
  return (
    <>
      {first}
      {rest.map((part) => (
        <>
          <mark>{query}</mark>
          {part}
        </>
      ))}
    </>
  );
}
