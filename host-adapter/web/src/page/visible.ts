import { plainLines } from "../../../pi/src/text.ts";

/** Text for people: control characters are shown and not followed, except for line breaks and tabs. */
export function visible(text: string): string {
  return text.split("\t").map(plainLines).join("\t");
}
