import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe } from "node:test";
import type { Workspace } from "../../harness/workspace.ts";
import { storyWith } from "../support/story.ts";

const MAKE = resolve(import.meta.dirname, "../../../../tests/fixtures/hostile-repository.sh");

const sprung = ({ repository }: Workspace) => {
  const file = `${repository}.sprung`;
  return existsSync(file) ? readFileSync(file, "utf8") : "";
};

/** Puts a repository in place that wants to run something on whoever looks at it. */
function makeHostile(workspace: Workspace): void {
  rmSync(workspace.repository, { recursive: true });
  execFileSync("sh", [MAKE, workspace.repository], { env: workspace.environment() });
}

describe("a hostile repository in the real Pi", () => {
  storyWith({ prepare: makeHostile }, "runs nothing of its own when it is looked at", async (session) => {
    const { workspace, pi } = session;
    await pi.status("pr-footer", (text) => /^widget · main · ! · /.test(text ?? ""));
    for (const path of ["file", "inner/HEAD", "pointing/x", ".git/config"]) await session.call("read", { path });
    for (const order of ["pin .", "refresh", "unpin", "pin inner", "status"]) await session.type(`/pr-footer ${order}`);
    await session.call("ls", { path: join(workspace.repository, "evil-hooks") });
    assert.equal(sprung(workspace), "");

    // The traps work: whoever asks more of git than this extension does springs them.
    assert.throws(() => workspace.git("switch", "--create", "x"));
    assert.notEqual(sprung(workspace), "");
  });
});
