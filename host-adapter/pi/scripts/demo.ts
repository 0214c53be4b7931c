/**
 * Shows the extension at work in the real Pi, with a scripted model: no account, no network, no file in your home.
 *
 *     npm run demo [-- --cwd DIRECTORY] [--out DIRECTORY] [--json]
 *
 * `--cwd` is the repository to stand in, this project by default. `--out` is where the session file is kept, a new
 * temporary directory by default. `--json` prints one JSON object.
 */
import { mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { FOOTER_KEY, startPi } from "../harness/first-status.ts";
import { PACKAGE, PI_VERSION } from "../harness/pi-command.ts";
import { Workspace } from "../harness/workspace.ts";
import type { Manifest } from "../src/transpile/transpile.ts";
import { givenPath } from "./invocation.ts";

const { values } = parseArgs({
  options: { cwd: { type: "string" }, out: { type: "string" }, json: { type: "boolean", default: false } },
});
const cwd = givenPath(values.cwd ?? resolve(PACKAGE, "../.."));
const out = values.out === undefined ? mkdtempSync(join(tmpdir(), "pi-capsule-demo-")) : givenPath(values.out);
mkdirSync(out, { recursive: true });

const component = JSON.parse(await readFile(join(PACKAGE, "component/manifest.json"), "utf8")) as Manifest;
const result = await runOnce();
if (values.json) console.log(JSON.stringify(result));
else tell(result);

interface Result {
  readonly piVersion: string;
  readonly component: string;
  readonly componentBytes: number;
  /** From the session's first event to the first status line. */
  readonly firstStatusMilliseconds: number;
  /** The status line as Pi has it after the prompt. */
  readonly status: string;
  readonly sessionFile: string;
}

/** One session with one prompt, in which the model reads a file. */
async function runOnce(): Promise<Result> {
  const workspace = new Workspace();
  try {
    const { pi, status, milliseconds } = await startPi(workspace, cwd, out);
    try {
      await pi.prompt(`Read ${someFile(cwd)}`);
      const { sessionFile } = await pi.command("get_state");
      const latest = pi.records.findLast((record) => record.statusKey === FOOTER_KEY);
      return {
        piVersion: PI_VERSION,
        component: component.file,
        componentBytes: component.bytes,
        firstStatusMilliseconds: Math.round(milliseconds),
        status: String(latest?.statusText ?? status),
        sessionFile: String(sessionFile),
      };
    } finally {
      await pi.stop();
    }
  } finally {
    workspace.remove();
  }
}

/** The name of a file to read. */
function someFile(directory: string): string {
  const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile());
  const name = files.find((entry) => entry.name === "README.md")?.name ?? files[0]?.name;
  return name ?? "README.md";
}

function tell(shown: Result): void {
  console.log(`Pi ${shown.piVersion} with ${shown.component} (${Math.round(shown.componentBytes / 1024)} KiB)`);
  console.log(`in ${cwd}`);
  console.log(`\nThe first status line came ${shown.firstStatusMilliseconds} ms after the session began.`);
  console.log(`After a prompt in which the model read a file, Pi shows:\n\n    ${shown.status}\n`);
  console.log(`The session, with the component's own entries: ${shown.sessionFile}`);
}
