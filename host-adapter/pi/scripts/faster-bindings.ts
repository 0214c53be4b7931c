/**
 * Two places of jco's bindings that are slow in Node, written so that they do the same faster.
 *
 * They are what an import costs beside its own work: a third of the time of reading a long session's text, and half of
 * a call that carries nothing. Everything else stays as jco makes it. A place that is not found exactly once means that
 * jco has changed; then the build says so, rather than ship what nobody has looked at.
 */

interface Replacement {
  /** What the place is for, for people. */
  readonly place: string;
  readonly from: RegExp;
  readonly to: string;
}

const REPLACEMENTS: readonly Replacement[] = [
  {
    // Looks at each character in JavaScript to find how long a text is in UTF-8. Node counts natively, which pays for
    // all but short texts. The number of characters comes along; nothing reads it.
    place: "the length of a text",
    from: /let (\w)=0,(\w)=0;(for\(let (\w)=0;\4<(\w)\.length;\4\+\+\)\{let \w=\5\.charCodeAt\(\4\);[^}]+\1\+=3\})/g,
    to: "let $1=0,$2=0;if($5.length>64)$1=Buffer.byteLength($5);else $3",
  },
  {
    // Asks for an environment variable, which Node asks the system for, several times in every call.
    place: "the debug log",
    from: /globalThis\?\.process\?\.env\?\.JCO_DEBUG&&console\.debug\(\.\.\.\w\)/g,
    to: "",
  },
];

/** The bindings with these places replaced. */
export function fasterBindings(source: string): string {
  return REPLACEMENTS.reduce((text, { place, from, to }) => {
    const found = text.match(from)?.length ?? 0;
    if (found !== 1) {
      throw new Error(
        `jco's bindings have ${found} places like the one for ${place}, not 1: see whether this version of jco still ` +
          "needs scripts/faster-bindings.ts, and change it or take it out.",
      );
    }
    return text.replace(from, to);
  }, source);
}
