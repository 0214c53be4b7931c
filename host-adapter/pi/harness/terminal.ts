/**
 * A real terminal for a real program: a tmux server of its own, without the person's configuration.
 */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { untilSeen } from "./wait.ts";

const run = promisify(execFile);

export interface TerminalOptions {
  /** Where tmux keeps its socket. It leaves it there, so this should be a directory that goes. */
  readonly directory: string;
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly columns: number;
  readonly rows: number;
  /** The program and its arguments. */
  readonly command: readonly string[];
}

export class Terminal {
  /** The name of the server's socket. Unique, so that no other server can be meant; short, as its path must be. */
  readonly #socket = `pi-${randomUUID().slice(0, 8)}`;
  readonly #environment: NodeJS.ProcessEnv;

  private constructor({ environment, directory }: TerminalOptions) {
    this.#environment = { ...environment, COLORTERM: "truecolor", TMUX_TMPDIR: directory };
  }

  static async open(options: TerminalOptions): Promise<Terminal> {
    const terminal = new Terminal(options);
    const size = ["-x", String(options.columns), "-y", String(options.rows)];
    // Pi warns of a tmux without extended keys, and shows fewer colours in one that says it has few.
    const keys = ["set-option", "-g", "extended-keys", "on", ";"];
    const colours = ["set-option", "-g", "default-terminal", "tmux-256color", ";"];
    await terminal.#tmux(
      "start-server",
      ";",
      ...keys,
      ...colours,
      "new-session",
      "-d",
      ...size,
      "-c",
      options.cwd,
      "--",
      ...options.command,
    );
    return terminal;
  }

  /** The lines on the screen, as text. */
  async lines(): Promise<readonly string[]> {
    return (await this.#tmux("capture-pane", "-p")).split("\n");
  }

  /** The screen with its colours, as escape sequences. */
  async colours(): Promise<string> {
    return this.#tmux("capture-pane", "-e", "-N", "-p");
  }

  /** Types text as it is. */
  async type(text: string): Promise<void> {
    await this.#tmux("send-keys", "-l", text);
  }

  /** Presses a key by tmux's name for it, such as `Enter`. */
  async press(key: string): Promise<void> {
    await this.#tmux("send-keys", key);
  }

  /** Waits for a screen that fits. */
  async screen(what: string, fits: (lines: readonly string[]) => boolean): Promise<readonly string[]> {
    let seen: readonly string[] = [];
    const look = async (): Promise<readonly string[] | undefined> => {
      seen = await this.lines();
      return fits(seen) ? seen : undefined;
    };
    return untilSeen(what, look, () => seen.join("\n"));
  }

  /** Ends the server and with it whatever runs in it. */
  async close(): Promise<void> {
    await this.#tmux("kill-server");
  }

  async #tmux(...args: readonly string[]): Promise<string> {
    try {
      const options = { env: this.#environment };
      return (await run("tmux", ["-L", this.#socket, "-f", "/dev/null", ...args], options)).stdout;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      throw new Error("tmux is missing. Install it, with `apt-get install tmux` or `brew install tmux`.");
    }
  }
}
