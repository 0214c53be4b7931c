/**
 * Draws the picture of the footer, from a real run of the real Pi in a terminal.
 *
 *     npm run picture [-- FILE]
 *
 * The repository is made for the purpose, the model is scripted, and `gh` is a stand-in that knows one pull request.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ALONE, PACKAGE, PI_CLI, WITH_EXTENSION, WITH_SCRIPTED_MODEL } from "../harness/pi-command.ts";
import { Terminal } from "../harness/terminal.ts";
import { Workspace } from "../harness/workspace.ts";
import { givenPath, INVOKED_FROM } from "./invocation.ts";
import { screenSvg } from "./screen-svg.ts";

const SIZE = { columns: 84, rows: 16 };

const PULL_REQUEST = {
  number: 42,
  state: "OPEN",
  isDraft: false,
  url: "https://github.com/acme/widget/pull/42",
  isCrossRepository: false,
  headRepositoryOwner: { login: "acme" },
};

const { positionals } = parseArgs({ allowPositionals: true });
const [given] = positionals;
const file = given === undefined ? resolve(PACKAGE, "../../docs/footer.svg") : givenPath(given);

const screen = await photograph();
await mkdir(dirname(file), { recursive: true });
await writeFile(file, await screenSvg(screen, SIZE.columns, SIZE.rows, "Pi with the repository line in its footer"));
console.log(`drew ${relative(INVOKED_FROM, file)}`);

/** The screen after a prompt, with its colours. */
async function photograph(): Promise<string> {
  const workspace = new Workspace();
  workspace.createRepository();
  workspace.answerPullRequests([PULL_REQUEST]);
  workspace.configure({ theme: "dark" });
  const terminal = await Terminal.open({
    directory: workspace.directory,
    cwd: workspace.repository,
    environment: workspace.environment(),
    ...SIZE,
    command: [process.execPath, PI_CLI, ...ALONE, ...WITH_SCRIPTED_MODEL, ...WITH_EXTENSION, "--no-session"],
  });
  try {
    await terminal.screen("the footer", (lines) => lines.some((line) => line.includes("acme/widget")));
    await terminal.type("Read README.md");
    await terminal.press("Enter");
    await terminal.screen("the answer", (lines) => lines.some((line) => line.includes("Done.")));
    return await terminal.colours();
  } finally {
    await terminal.close();
    workspace.remove();
  }
}
