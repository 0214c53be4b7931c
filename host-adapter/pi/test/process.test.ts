import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { within } from "../harness/wait.ts";
import { Workspace } from "../harness/workspace.ts";
import { processEnvironment } from "../src/policy.ts";
import { type Ending, findProgram, runProgram } from "../src/process.ts";
import { policy } from "./support/policy.ts";

/** What a program runs that never ends by itself. */
const FOREVER = "setInterval(() => {}, 1000);";

describe("process", () => {
  let directory: string;
  before(() => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), "pi-capsule-process-")));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  /** Runs a small program in Node, within limits that a test can wait for. */
  const runScript = (code: string, limits: { milliseconds?: number; outputBytes?: number } = {}) =>
    runProgram(process.execPath, ["--eval", code], {
      environment: {},
      milliseconds: limits.milliseconds ?? 10_000,
      outputBytes: limits.outputBytes ?? 1024 * 1024,
    });

  const text = (ending: Ending) => {
    assert.equal(ending.tag, "exited");
    const { code, stdout, stderr } = ending.val;
    return { code, stdout: Buffer.from(stdout).toString(), stderr: Buffer.from(stderr).toString() };
  };

  it("keeps both streams and the exit code apart", async () => {
    const { ended } = runScript("process.stdout.write('out'); process.stderr.write('err'); process.exitCode = 3");
    assert.deepEqual(text(await ended), { code: 3, stdout: "out", stderr: "err" });
  });

  it("keeps bytes that are no text", async () => {
    const ending = await runScript("process.stdout.write(Buffer.from([0xff, 0x00, 0x0a]))").ended;
    assert.equal(ending.tag, "exited");
    assert.deepEqual([...ending.val.stdout], [0xff, 0x00, 0x0a]);
  });

  it("gives no input and no terminal", async () => {
    const { ended } = runScript("process.stdin.on('end', () => console.log('end')).resume()");
    assert.equal(text(await ended).stdout, "end\n");
  });

  it("counts a death by a signal as 128 and its number", async () => {
    assert.equal(text(await runScript("process.kill(process.pid, 'SIGTERM')").ended).code, 128 + 15);
  });

  it("kills what takes too long", async () => {
    assert.deepEqual(await runScript(FOREVER, { milliseconds: 200 }).ended, { tag: "timed-out" });
  });

  it("kills a program's children with it", async () => {
    // The child holds a connection, whose end is seen here.
    const path = join(directory, "child.sock");
    const server = createServer().listen(path);
    const connected = once(server, "connection") as Promise<[Socket]>;
    const child = `require("node:net").connect(${JSON.stringify(path)})`;
    const running = runScript(
      `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}]); ${FOREVER}`,
    );
    const [socket] = await within("the child to connect", connected);
    const gone = once(socket.resume(), "close");
    running.cancel();
    assert.deepEqual(await running.ended, { tag: "cancelled" });
    await within("the child to die", gone);
    server.close();
  });

  it("kills what prints too much, counted over both streams", async () => {
    const code = `for (const stream of [process.stdout, process.stderr]) stream.write("x".repeat(1024 * 1024)); ${FOREVER}`;
    assert.deepEqual(await runScript(code).ended, { tag: "output-limit" });
  });

  it("lets through exactly as much as is allowed", async () => {
    const { stdout } = text(await runScript("process.stdout.write('x'.repeat(1000))", { outputBytes: 1000 }).ended);
    assert.equal(stdout.length, 1000);
  });

  it("can be cancelled, once", async () => {
    const running = runScript(FOREVER);
    running.cancel();
    running.cancel();
    assert.deepEqual(await running.ended, { tag: "cancelled" });
    running.cancel();
  });

  it("says that a file cannot be started", async () => {
    const file = join(directory, "not-a-program");
    writeFileSync(file, "");
    const ending = await runProgram(file, [], { environment: {}, milliseconds: 1000, outputBytes: 1 }).ended;
    assert.equal(ending.tag, "unavailable");
  });

  it("finds programs in absolute directories only", () => {
    const bin = join(directory, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "tool"), "#!/bin/sh\n");
    assert.equal(findProgram("tool", { PATH: bin }), undefined, "it cannot be executed yet");
    chmodSync(join(bin, "tool"), 0o755);
    assert.equal(findProgram("tool", { PATH: ["relative", "", ".", bin].join(delimiter) }), join(bin, "tool"));
    assert.equal(findProgram("tool", { PATH: "." }), undefined);
    assert.equal(findProgram("tool", {}), undefined);
  });

  it("asks the real Git, whatever repository the person's environment points to", async () => {
    const workspace = new Workspace();
    try {
      workspace.createRepository();
      const environment = processEnvironment(policy, { ...workspace.environment(), GIT_DIR: "/nowhere/.git" });
      const git = findProgram("git", environment);
      assert.ok(git, "git is needed for the tests: install it");
      const args = ["-C", workspace.repository, "rev-parse", "--show-toplevel"];
      const { ended } = runProgram(git, args, { environment, milliseconds: 10_000, outputBytes: 1024 });
      assert.deepEqual(text(await ended), { code: 0, stdout: `${workspace.repository}\n`, stderr: "" });
    } finally {
      workspace.remove();
    }
  });
});
