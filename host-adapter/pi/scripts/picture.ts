/**
 * Draws the pictures of the documentation, from real runs of the real Pi in a terminal.
 *
 *     npm run picture [-- DIRECTORY]
 *
 * The repository is made for the purpose, the model is scripted, and `gh` is a stand-in that knows one pull request.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ALONE, PACKAGE, PI_CLI, WITH_EXTENSION, WITH_SCRIPTED_MODEL } from "../harness/pi-command.ts";
import { pullRequest } from "../harness/scripted-gh.ts";
import type { Step } from "../harness/scripted-model.ts";
import { RESET } from "../harness/steps.ts";
import { Terminal } from "../harness/terminal.ts";
import { Workspace } from "../harness/workspace.ts";
import { givenPath, INVOKED_FROM } from "./invocation.ts";
import { screenSvg } from "./screen-svg.ts";

interface Picture {
  readonly file: string;
  readonly title: string;
  readonly rows: number;
  /** What the person types. */
  readonly prompt: string;
  /** What the model does then. */
  readonly steps: readonly Step[];
}

const COLUMNS = 84;

const PLAN = "Goal: config files in TOML.\nDone: parser, defaults.\nNext: the migration of old files, src/migrate.rs.";

const PICTURES: readonly Picture[] = [
  {
    file: "footer.svg",
    title: "Pi with the repository line in its footer",
    rows: 16,
    prompt: "Read the README",
    steps: [{ call: [["read", { path: "README.md" }]] }, { say: "This is the widget." }],
  },
  {
    file: "reset.svg",
    title: "Pi after the model has cleared its context and gone on from its note",
    rows: 26,
    prompt: "Move the config files to TOML",
    steps: [
      { call: [["notes_write_file", { path: "plan.md", text: PLAN }]] },
      RESET,
      { call: [["notes_read_file", { path: "plan.md" }]] },
      { say: "The parser and the defaults are done. I go on with src/migrate.rs." },
    ],
  },
];

const { positionals } = parseArgs({ allowPositionals: true });
const [given] = positionals;
const directory = given === undefined ? resolve(PACKAGE, "../../docs") : givenPath(given);

await mkdir(directory, { recursive: true });
for (const picture of PICTURES) {
  const file = join(directory, picture.file);
  await writeFile(file, await screenSvg(await photograph(picture), COLUMNS, picture.rows, picture.title));
  console.log(`drew ${relative(INVOKED_FROM, file)}`);
}

/** The screen after the model's last word, with its colours. */
async function photograph({ rows, prompt, steps }: Picture): Promise<string> {
  const workspace = new Workspace();
  workspace.createRepository();
  workspace.gh.answer("feature/footer", [pullRequest(42)]);
  workspace.configure({ theme: "dark" });
  const terminal = await Terminal.open({
    directory: workspace.directory,
    cwd: workspace.repository,
    environment: workspace.environment({ SCRIPTED_MODEL_STEPS: JSON.stringify(steps) }),
    columns: COLUMNS,
    rows,
    command: [process.execPath, PI_CLI, ...ALONE, ...WITH_SCRIPTED_MODEL, ...WITH_EXTENSION, "--no-session"],
  });
  const last = steps.at(-1)?.say ?? "";
  try {
    await terminal.screen("the footer", (lines) => lines.some((line) => line.includes("PR #42")));
    await terminal.type(prompt);
    await terminal.press("Enter");
    await terminal.screen("the answer", (lines) => lines.some((line) => line.includes(last)));
    return await terminal.colours();
  } finally {
    await terminal.close();
    workspace.remove();
  }
}
