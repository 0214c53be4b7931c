import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { within } from "../../harness/wait.ts";
import { Workspace } from "../../harness/workspace.ts";
import { subprocess } from "../../src/imports/subprocess.ts";
import { FakeHost } from "../support/fake-host.ts";
import { policy } from "../support/policy.ts";

describe("subprocess", () => {
  let workspace: Workspace;
  before(() => {
    workspace = new Workspace();
    workspace.createRepository();
  });
  after(() => workspace.remove());

  const toplevel = () => ({
    program: "git" as const,
    arguments: ["-C", workspace.repository, "rev-parse", "--show-toplevel"],
  });

  it("answers with what the real Git says", async () => {
    const host = new FakeHost({ context: {} });
    const id = subprocess(host).start(toplevel());
    await within("the answer", host.delivery);
    const [[name, answered, outcome]] = host.delivered as [[string, number, { tag: string; val: { stdout: Buffer } }]];
    assert.deepEqual([name, answered, outcome.tag], ["completions.subprocessFinished", id, "exited"]);
    assert.equal(outcome.val.stdout.toString(), `${workspace.repository}\n`);
    assert.equal(host.disposers.size, 0);
  });

  it("answers a refusal like everything else, and tells the person once", async () => {
    const host = new FakeHost({ context: {} });
    const { start } = subprocess(host);
    const val = "git is not allowed with these arguments";
    const ids = [start({ program: "git", arguments: ["push"] }), start({ program: "git", arguments: ["pull"] })];
    assert.deepEqual(host.delivered, [], "not while the export runs");
    while (host.delivered.length < 2) await within("both answers", host.delivery);
    assert.deepEqual(
      host.delivered,
      ids.map((id) => ["completions.subprocessFinished", id, { tag: "denied", val }]),
    );
    assert.equal(host.disposers.size, 0);
    assert.deepEqual(host.told, [`pi-capsule: refused a request of the component: ${val}.`]);
  });

  it("runs no more than the policy allows at once", async () => {
    const host = new FakeHost({ context: {} });
    const { start } = subprocess(host);
    const limit = policy.limits.concurrentProcesses;
    for (let count = 0; count < limit; count += 1) start(toplevel());
    const last = start(toplevel());
    const refused = { tag: "unavailable", val: `${limit} requests are running already` };
    while (host.delivered.length <= limit) await within("every answer", host.delivery);
    assert.deepEqual(
      host.delivered.find(([, id]) => id === last),
      ["completions.subprocessFinished", last, refused],
    );
    assert.equal(new Set(host.delivered.map(([, id]) => id)).size, limit + 1);
  });

  it("answers a cancelled request once", async () => {
    const host = new FakeHost({ context: {} });
    const { start, cancel } = subprocess(host);
    const id = start(toplevel());
    cancel(id);
    cancel(id);
    cancel(999);
    await within("the answer", host.delivery);
    cancel(id);
    assert.deepEqual(host.delivered, [["completions.subprocessFinished", id, { tag: "cancelled" }]]);
  });

  it("answers nothing after the end of the session", async () => {
    const host = new FakeHost({ context: {} });
    const { start } = subprocess(host);
    start(toplevel());
    start({ program: "gh", arguments: [] });
    for (const dispose of host.disposers) dispose();
    const other = start({ program: "gh", arguments: [] });
    await within("the answer to the request after it", host.delivery);
    assert.deepEqual(
      host.delivered.map(([, id]) => id),
      [other],
    );
  });

  it("traps a guest that asks outside of a session", () => {
    assert.throws(() => subprocess(new FakeHost({})).start(toplevel()), /no session/);
  });
});
