/**
 * The package as a person gets it: packed, installed by the real Pi into an empty home, used, reloaded and removed. With the
 * newest Node.js and with the oldest that Pi runs in; there is no Rust in sight.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { builtComponent } from "../../harness/components.ts";
import { pack } from "../../harness/packed.ts";
import { PACKAGE, PI_CLI, WITH_SCRIPTED_MODEL } from "../../harness/pi-command.ts";
import { RpcPi } from "../../harness/rpc.ts";
import { Terminal } from "../../harness/terminal.ts";
import { Workspace } from "../../harness/workspace.ts";

const NODES = [process.execPath, join(PACKAGE, "harness/oldest-node/node_modules/.bin/node")];
const FOOTER = /acme\/widget · feature\/footer/;

describe("the package, installed", { concurrency: NODES.length }, () => {
  let directory: string;
  let spec: string;
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), "pi-capsule-packed-"));
    // Pi takes the path of an archive for that of an extension. npm takes it for what it is.
    spec = `npm:pi-capsule@file:${(await pack(directory)).archive}`;
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  for (const node of NODES) {
    it(`works in ${node === process.execPath ? "the newest" : "the oldest"} Node.js`, async () => {
      const home = new Home(node);
      try {
        await home.pi("install", spec);
        assert.match(await home.pi("list"), /pi-capsule@file:.*\n.*node_modules\/pi-capsule$/m);
        await useOnScreen(home);
        await useInRpc(home);
        await home.pi("remove", "npm:pi-capsule");
        assert.match(await home.pi("list"), /^No packages installed/);
        assert.equal(existsSync(join(home.workspace.agent, "npm/node_modules/pi-capsule")), false);
        await showNothing(home);
      } finally {
        home.workspace.remove();
      }
    });
  }
});

/** Sees the footer, adds a component, reloads, and takes it away again. */
async function useOnScreen(home: Home): Promise<void> {
  const terminal = await home.terminal();
  const screen = (what: string, fits: (text: string) => boolean) =>
    terminal.screen(what, (lines) => fits(lines.join("\n")));
  const reload = async () => {
    await terminal.type("/reload");
    await terminal.press("Enter");
  };
  try {
    await screen("the footer", (text) => FOOTER.test(text));
    const extensions = join(home.workspace.agent, "extensions");
    mkdirSync(extensions, { recursive: true });
    copyFileSync(builtComponent("my_extension.wasm"), join(extensions, "my-extension.wasm"));
    await reload();
    await screen("both lines", (text) => FOOTER.test(text) && text.includes("0 turns"));
    rmSync(join(extensions, "my-extension.wasm"));
    await reload();
    await screen("one line", (text) => FOOTER.test(text) && !text.includes("turns"));
  } finally {
    await terminal.close();
  }
}

/** Clears the context, and finds nothing that Pi complains of. */
async function useInRpc(home: Home): Promise<void> {
  const pi = home.rpc();
  await pi.status("pr-footer", (text) => FOOTER.test(text ?? ""));
  await pi.prompt("call new_context {}");
  await pi.stop();
  const notices = pi.records.filter(({ method }) => method === "notify").map(({ message }) => String(message));
  assert.equal(notices.length, 1, notices.join("\n"));
  assert.match(notices[0] ?? "", /^Context window reset/);
  assert.equal(pi.errors, "");
}

/** Pi without the extension is as if it had never been there. */
async function showNothing(home: Home): Promise<void> {
  const pi = home.rpc();
  await pi.prompt("hello");
  await pi.stop();
  const traces = pi.records.filter((record) => record.statusKey === "pr-footer" || record.type === "extension_error");
  assert.deepEqual(traces, []);
  assert.equal(pi.errors, "");
  const settings = JSON.parse(readFileSync(join(home.workspace.agent, "settings.json"), "utf8"));
  assert.deepEqual(settings.packages, []);
}

/** A person's home with nothing in it, and one Node.js. */
class Home {
  readonly workspace = new Workspace();
  readonly #node: string;

  constructor(node: string) {
    this.#node = node;
    this.workspace.createRepository();
  }

  get #environment(): NodeJS.ProcessEnv {
    return this.workspace.environment({
      PATH: `${dirname(this.#node)}${delimiter}${this.workspace.environment().PATH}`,
      npm_config_cache: join(this.workspace.directory, "npm-cache"),
    });
  }

  get #session(): readonly string[] {
    return [...WITH_SCRIPTED_MODEL, "--session-dir", this.workspace.sessions];
  }

  /** Runs a subcommand of Pi and gives what it printed. */
  async pi(...args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(this.#node, [PI_CLI, ...args], {
      cwd: this.workspace.repository,
      env: this.#environment,
    });
    return stdout;
  }

  rpc(): RpcPi {
    return new RpcPi({
      cwd: this.workspace.repository,
      environment: this.#environment,
      args: this.#session,
      node: this.#node,
    });
  }

  async terminal(): Promise<Terminal> {
    return Terminal.open({
      directory: this.workspace.directory,
      cwd: this.workspace.repository,
      environment: this.#environment,
      columns: 100,
      rows: 40,
      command: [this.#node, PI_CLI, ...this.#session],
    });
  }
}
