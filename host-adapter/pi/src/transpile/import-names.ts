/**
 * What a component imports, by full names, such as `pi:extension/clock@0.1.0`.
 *
 * The bindings say the same without the versions, which are what a person needs to know when a component does not fit.
 */
import { Reader, sections } from "./binary.ts";

const IMPORT_SECTION = 10;

/** How an import is described: the kind, then numbers of types. Their count by kind; a core module's has a byte more. */
const NUMBERS: Readonly<Record<number, number>> = { 0: 2, 1: 1, 2: 2, 3: 2, 4: 1, 5: 1 };

export function importNames(component: Uint8Array): string[] {
  return [...sections(component)].filter(({ id }) => id === IMPORT_SECTION).flatMap(({ body }) => namesIn(body));
}

function namesIn(section: Uint8Array): string[] {
  const reader = new Reader(section);
  const names: string[] = [];
  for (let left = reader.number(); left > 0 && !reader.isAtEnd; left -= 1) {
    reader.number(); // How the name is written; plain names and those of interfaces read alike.
    names.push(reader.text());
    const numbers = NUMBERS[reader.number()];
    // What is not known cannot be skipped. The bindings refuse it.
    if (numbers === undefined) break;
    for (let index = 0; index < numbers; index += 1) reader.number();
  }
  return names;
}
