/**
 * Where a person stands when they run one of these scripts. npm runs it in the package and says where it came from.
 */
import { resolve } from "node:path";

export const INVOKED_FROM = process.env.INIT_CWD ?? process.cwd();

/** A path that the person gave. */
export function givenPath(path: string): string {
  return resolve(INVOKED_FROM, path);
}
