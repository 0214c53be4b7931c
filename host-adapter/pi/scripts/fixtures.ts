/**
 * Writes the session files that the tests of both hosts read, and what they hold.
 *
 *     npm run fixtures
 *
 * The same bytes come out at every run, as long as Pi's format and the component's texts stay the same. What the files
 * hold is found by the second reading of `harness/contents.ts`; look through its changes before you commit them.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsOf, secondReading } from "../harness/contents.ts";
import { FIXTURES } from "../harness/fixtures.ts";
import { capsuleSession } from "./fixtures/capsule.ts";
import { legacySession } from "./fixtures/legacy.ts";
import { malformedSession } from "./fixtures/malformed.ts";
import { typescriptSession } from "./fixtures/typescript.ts";

mkdirSync(FIXTURES, { recursive: true });
const sessions = {
  typescript: typescriptSession(),
  legacy: legacySession(),
  malformed: malformedSession(),
  capsule: await capsuleSession(),
};
for (const [name, session] of Object.entries(sessions)) {
  const file = join(FIXTURES, `${name}.jsonl`);
  writeFileSync(file, session);
  const contents = await contentsOf(file, secondReading);
  writeFileSync(join(FIXTURES, `${name}.expected.json`), `${JSON.stringify(contents, undefined, 2)}\n`);
  console.log(`${name}.jsonl: ${contents.windows.length} windows, ${contents.items.length} items`);
}
