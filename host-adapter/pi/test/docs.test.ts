/**
 * What the documentation tells people to type is typed: every command of every block of shell, in a home of its own. And its
 * links lead somewhere.
 */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { COMMAND, PROJECT, TARGET } from "../harness/other-host.ts";
import { pack } from "../harness/packed.ts";
import { PI_CLI } from "../harness/pi-command.ts";
import { Workspace } from "../harness/workspace.ts";

const SESSION = join(PROJECT, "tests/fixtures/sessions/capsule.jsonl");

/** The pages that are in the project, by their paths. */
const PAGES = execFileSync("git", ["ls-files", "*.md"], { cwd: PROJECT, encoding: "utf8" }).trimEnd().split("\n");

/** Recipes that this test is a part of, or that take minutes: here only that they are there. CI runs them. */
const NOT_HERE = /^\.\/just (?=(test|build|bench|release-check)\b)/;

/** A recipe that would first build everything, and what it runs then. */
const DEMO = [/^\.\/just demo$/, "scripts/demo.sh"] as const;

/** Ends with a signal and not by itself. */
const WATCHES = / --watch /;

function commandsOf(page: string): string[] {
  const blocks = readFileSync(join(PROJECT, page), "utf8").matchAll(/^```(sh|console)\n(.*?)^```$/gms);
  return [...blocks].flatMap(([, language, text = ""]) => {
    const lines = text.split("\n").map((line) => line.replace(/(^| +)# .*$/, ""));
    // In what was copied from a terminal, a prompt tells a command from an answer.
    const typed =
      language === "sh" ? lines : lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
    return typed.map((line) => line.trim()).filter((line) => line !== "");
  });
}

describe("the documentation", () => {
  let workspace: Workspace;
  let archive: string;
  let environment: NodeJS.ProcessEnv;
  before(async () => {
    workspace = new Workspace();
    const { directory } = workspace;
    workspace.createRepository();
    // The names that the pages use.
    const home = join(directory, "home");
    mkdirSync(join(home, "src"));
    execFileSync("git", ["clone", "--quiet", workspace.repository, join(home, "src/widget")]);
    mkdirSync(join(home, ".pi/agent/extensions"), { recursive: true });
    const bin = join(directory, "typed");
    mkdirSync(bin);
    writeFileSync(join(bin, "pi"), `#!/bin/sh\nexec '${process.execPath}' '${PI_CLI}' "$@"\n`, { mode: 0o755 });
    archive = (await pack(directory)).archive;
    const given = workspace.environment();
    environment = {
      ...given,
      PATH: [bin, dirname(COMMAND), given.PATH].join(delimiter),
      CARGO_HOME: process.env.CARGO_HOME ?? join(homedir(), ".cargo"),
      RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(homedir(), ".rustup"),
      CARGO_TARGET_DIR: TARGET,
      npm_config_cache: join(directory, "npm-cache"),
      PI_CAPSULE_COMPONENT: undefined,
    };
  });
  after(() => workspace.remove());

  /** The command with what its placeholders stand for. */
  function filledIn(command: string): string {
    const own = join(workspace.directory, "session.jsonl");
    copyFileSync(SESSION, own);
    return command
      .replace(NOT_HERE, "./just --dry-run ")
      .replace(...DEMO)
      .replace(/~\/\.pi\/agent\/sessions\/\S+/, own)
      .replace(/\bSESSION(\.jsonl)?\b/, own)
      .replace("target/component/", `${join(TARGET, "component")}/`)
      .replace("WINDOW ITEM", "pcw:0193a1b2:root e0000005")
      .replace("npm:pi-capsule@file:/path/to/pi-capsule-0.1.0.tgz", `npm:pi-capsule@file:${archive}`)
      .replace(/npm:pi-capsule$/, `npm:pi-capsule@file:${archive}`);
  }

  async function type(command: string): Promise<void> {
    const line = filledIn(command);
    const options = { cwd: PROJECT, env: environment };
    // A watch goes on until Ctrl-C, which is no failure.
    const end = WATCHES.test(line) ? ({ timeout: 1_500, killSignal: "SIGINT" } as const) : {};
    const run = promisify(execFile)("sh", ["-c", `exec ${line}`], { ...options, ...end });
    await run.catch((error: Error & { stderr: string; killed: boolean }) => {
      if (!error.killed) assert.fail(`${command}: ${error.stderr || error.message}`);
    });
  }

  for (const page of PAGES) {
    const commands = commandsOf(page);
    if (commands.length === 0) continue;
    it(`${page} tells what works`, async () => {
      for (const command of commands) await type(command);
    });
  }

  it("has commands to type", () => {
    assert.ok(PAGES.flatMap(commandsOf).length > 15);
  });

  for (const page of PAGES) {
    it(`${page} links to what is there`, () => {
      const text = readFileSync(join(PROJECT, page), "utf8").replace(/^```.*?^```$/gms, "");
      for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        const [path = "", anchor] = target.split("#");
        const file = path === "" ? join(PROJECT, page) : resolve(PROJECT, dirname(page), path);
        assert.ok(existsSync(file), target);
        if (anchor !== undefined) assert.ok(anchorsOf(file).includes(anchor), target);
      }
    });
  }
});

/** The anchors of a page, as GitHub makes them of headings, and those that are written. */
function anchorsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => {
    const plain = heading.replace(/<[^>]*>/g, "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
    return plain
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-");
  });
  return [...headings, ...[...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = ""]) => id)];
}
