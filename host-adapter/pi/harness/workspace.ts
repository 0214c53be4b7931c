/**
 * A private world for one Pi: its home, its configuration, its sessions, and a repository to work in.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { ScriptedGh } from "./scripted-gh.ts";

/** Variables of the person that a test must not depend on. */
const PRIVATE = /^(PI_|GIT_|GH_|XDG_|TMUX|NODE_OPTIONS|NO_COLOR|FORCE_COLOR|[A-Z0-9_]*(API_KEY|TOKEN|SECRET)$)/;

/** One line of a session file. */
export interface SessionLine {
  readonly type: string;
  readonly id?: string;
  readonly customType?: string;
  readonly data?: unknown;
  /** Of a message. */
  readonly message?: { readonly role: string };
  /** Of a custom message. */
  readonly content?: string;
  readonly display?: boolean;
  /** Of a compaction. */
  readonly summary?: string;
  readonly firstKeptEntryId?: string;
  readonly details?: unknown;
}

export class Workspace {
  readonly directory: string;
  readonly repository: string;
  readonly sessions: string;
  readonly agent: string;
  /** The only `gh` that can be reached. */
  readonly gh: ScriptedGh;
  readonly #programs: string;

  constructor() {
    this.directory = realpathSync(mkdtempSync(join(tmpdir(), "pi-capsule-")));
    this.#make("home");
    this.repository = this.#make("home/widget");
    this.sessions = this.#make("sessions");
    this.agent = this.#make("agent");
    this.#programs = this.#make("bin");
    this.gh = new ScriptedGh(this.#programs, join(this.directory, "gh"));
  }

  /** What Pi and Git see. Neither reaches the network or the person's own files. */
  environment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
    const inherited = Object.entries(process.env).filter(([name]) => !PRIVATE.test(name));
    return {
      ...Object.fromEntries(inherited),
      HOME: join(this.directory, "home"),
      PI_CODING_AGENT_DIR: this.agent,
      PI_OFFLINE: "1",
      PI_TELEMETRY: "0",
      GIT_CONFIG_NOSYSTEM: "1",
      PATH: `${this.#programs}${delimiter}${process.env.PATH}`,
      ...extra,
    };
  }

  /** Makes the repository one on GitHub, on a branch with one commit and without a pull request. */
  createRepository(slug = "acme/widget", branch = "feature/footer"): void {
    this.git("init", "--quiet", `--initial-branch=${branch}`);
    this.git("remote", "add", "origin", `https://github.com/${slug}.git`);
    this.write("README.md", "# Widget\n");
    this.git("add", ".");
    this.git("-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "--quiet", "--message=Begin");
  }

  /** Adds a worktree with a new branch beside the repository and gives its path. */
  addWorktree(name: string, branch: string): string {
    const path = join(this.directory, "home", name);
    this.git("worktree", "add", "--quiet", "-b", branch, path);
    return path;
  }

  /** The file of the only session. */
  get sessionFile(): string {
    const files = readdirSync(this.sessions, { recursive: true, encoding: "utf8" });
    const [name, ...others] = files.filter((file) => file.endsWith(".jsonl"));
    if (name === undefined || others.length > 0)
      throw new Error(`one session file was expected in ${files.join(", ")}`);
    return join(this.sessions, name);
  }

  /** The lines of the only session. */
  sessionLines(): readonly SessionLine[] {
    const lines = readFileSync(this.sessionFile, "utf8").trimEnd().split("\n");
    return lines.map((line) => JSON.parse(line) as SessionLine);
  }

  /** Writes Pi's settings. */
  configure(settings: object): void {
    writeFileSync(join(this.agent, "settings.json"), JSON.stringify(settings));
  }

  git(...args: readonly string[]): string {
    return execFileSync("git", args, { cwd: this.repository, env: this.environment(), encoding: "utf8" });
  }

  write(name: string, content: string): void {
    writeFileSync(join(this.repository, name), content);
  }

  remove(): void {
    // A Pi whose terminal was closed may still be writing its last words.
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 10 });
  }

  #make(name: string): string {
    const directory = join(this.directory, name);
    mkdirSync(directory);
    return directory;
  }
}
