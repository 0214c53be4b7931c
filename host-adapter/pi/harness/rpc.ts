/**
 * The real Pi as a child process in RPC mode: commands in, records out, one JSON object a line.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { PI_CLI } from "./pi-command.ts";
import { within } from "./wait.ts";

/** One line that Pi wrote. */
export interface PiRecord {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** A status line that an extension has set or, without text, taken away. */
export interface StatusRecord extends PiRecord {
  readonly statusKey: string;
  readonly statusText?: string;
}

export interface RpcOptions {
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly args: readonly string[];
  /** The Node.js that Pi runs in. By default this one. */
  readonly node?: string;
}

export class RpcPi {
  /** Everything that Pi has written so far. */
  readonly records: PiRecord[] = [];
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #exited: Promise<unknown>;
  readonly #watchers = new Set<(record: PiRecord) => void>();
  #errors = "";
  #lastId = 0;

  constructor({ cwd, environment, args, node = process.execPath }: RpcOptions) {
    const command = [PI_CLI, "--mode", "rpc", ...args];
    this.#child = spawn(node, command, { cwd, env: environment, stdio: ["pipe", "pipe", "pipe"] });
    this.#exited = once(this.#child, "close");
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#errors += text;
    });
    const decoder = new StringDecoder("utf8");
    let rest = "";
    this.#child.stdout.on("data", (chunk: Buffer) => {
      const lines = (rest + decoder.write(chunk)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#take(JSON.parse(line) as PiRecord);
    });
  }

  /** What Pi wrote to standard error. */
  get errors(): string {
    return this.#errors;
  }

  /** The first record that fits, of those that have come and those that will. */
  async record<T extends PiRecord = PiRecord>(
    what: string,
    fits: (record: PiRecord) => boolean,
    after = 0,
  ): Promise<T> {
    const known = this.records.slice(after).find(fits);
    if (known !== undefined) return known as T;
    const { promise, resolve, reject } = Promise.withResolvers<PiRecord>();
    const watcher = (record: PiRecord): void => {
      if (fits(record)) resolve(record);
    };
    this.#watchers.add(watcher);
    void this.#exited.then(() => reject(new Error(`Pi ended while ${what} was waited for`)));
    try {
      return (await within(what, promise)) as T;
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${this.#errors}${JSON.stringify(this.records.slice(-5))}`);
    } finally {
      this.#watchers.delete(watcher);
    }
  }

  /** The first status line of that key whose text fits. */
  status(key: string, fits: (text: string | undefined) => boolean, after = 0): Promise<StatusRecord> {
    return this.record(
      `a status line ${key}`,
      (record) =>
        record.method === "setStatus" && record.statusKey === key && fits(record.statusText as string | undefined),
      after,
    );
  }

  /** Sends a command and gives the data of its answer. */
  async command(type: string, members: object = {}): Promise<Record<string, unknown>> {
    this.#lastId += 1;
    const id = `command-${this.#lastId}`;
    this.#child.stdin.write(`${JSON.stringify({ id, type, ...members })}\n`);
    // What a command reports on its way has the same id.
    const isAnswer = (record: PiRecord): boolean => record.type === "response" && record.id === id;
    const answer = await this.record(`the answer to ${type}`, isAnswer);
    if (answer.success !== true) throw new Error(`${type} failed: ${JSON.stringify(answer)}`);
    return (answer.data ?? {}) as Record<string, unknown>;
  }

  /** Sends a prompt and waits until the agent has settled. A command of an extension starts no run and returns. */
  async prompt(message: string): Promise<void> {
    const before = this.records.length;
    const { disposition } = await this.command("prompt", { message });
    if (disposition === "handled") return;
    await this.record("the agent to settle", (record) => record.type === "agent_settled", before);
  }

  /** Ends Pi in the orderly way. */
  async stop(): Promise<void> {
    this.#child.stdin.end();
    try {
      await within("Pi to end", this.#exited);
    } finally {
      this.#child.kill("SIGKILL");
    }
  }

  #take(record: PiRecord): void {
    this.records.push(record);
    for (const watcher of this.#watchers) watcher(record);
  }
}
