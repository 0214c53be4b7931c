import assert from "node:assert/strict";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import type { ScriptedSession } from "../../harness/scripted-session.ts";
import { BEGIN, bash, linesSince, read, shows, showsStill } from "../support/footer.ts";
import { AT_ONCE, story } from "../support/story.ts";

const STATE = "pr-footer-state";
const PINNED = "📌 acme/widget · topic";

/** A session that is stored and pinned to a second worktree, whose path this gives. */
async function pinned(session: ScriptedSession): Promise<string> {
  const other = session.workspace.addWorktree("other tree", "topic");
  await shows(session, BEGIN);
  await session.type("hello");
  await session.type(`/pr-footer pin ${other}`);
  await shows(session, PINNED);
  return other;
}

const latestState = (session: ScriptedSession) => session.entriesOf(STATE).at(-1)?.data as Record<string, unknown>;

describe("a pin in the real Pi", { concurrency: AT_ONCE }, () => {
  story("stays where it is, whatever the model touches, until it is taken away", async (session) => {
    const other = await pinned(session);
    const before = session.pi.records.length;
    await session.run([read("README.md"), bash(`cd '${session.workspace.repository}' && git status`)]);
    await showsStill(session, PINNED);
    assert.deepEqual(linesSince(session, before), [PINNED]);
    const { mode, pinnedRoot, version } = latestState(session);
    assert.deepEqual({ mode, pinnedRoot, version }, { mode: "pinned", pinnedRoot: other, version: 1 });

    await session.type("/pr-footer unpin");
    await session.run([read("README.md")]);
    await shows(session, BEGIN);
    assert.equal(latestState(session).mode, "auto");
    assert.equal(latestState(session).lastConfirmedRoot, session.workspace.repository);
  });

  story("shows what is changed inside of it, and not what is changed elsewhere", async (session) => {
    const other = await pinned(session);
    await session.run([bash("git switch --create aside")]);
    await showsStill(session, PINNED);
    await session.run([bash(`git -C '${other}' switch --create second`)]);
    await shows(session, "📌 acme/widget · second");
  });

  for (const [how, again] of [
    ["when the extensions are loaded again", (session: ScriptedSession) => session.type("/rival reload")],
    ["when the session is resumed", (session: ScriptedSession) => session.restart()],
  ] as const) {
    story(`is kept ${how}`, async (session) => {
      const other = await pinned(session);
      const { startedAt } = latestState(session);
      await again(session);
      await shows(session, PINNED);
      await session.run([read("README.md")]);
      await showsStill(session, PINNED);
      assert.deepEqual(linesSince(session, 0).slice(-2), [`${PINNED} · !`, PINNED]);
      const { lastConfirmedRoot: _, ...state } = latestState(session);
      assert.deepEqual(state, { version: 1, startedAt, mode: "pinned", pinnedRoot: other });
    });
  }

  story("is not of a new session, and there again in the old one", async (session) => {
    await pinned(session);
    const file = session.workspace.sessionFile;
    const before = session.pi.records.length;
    await session.pi.command("new_session");
    await shows(session, BEGIN);
    assert.deepEqual(linesSince(session, before), [PINNED, undefined, `${BEGIN} · !`, BEGIN]);
    await session.pi.command("switch_session", { sessionPath: file });
    await shows(session, PINNED);
  });

  story("is given up when its root is gone, and that is stored", async (session) => {
    const other = await pinned(session);
    await session.pi.stop();
    rmSync(other, { recursive: true });
    await session.restart();
    await shows(session, BEGIN);
    await session.type("hello");
    assert.equal(latestState(session).mode, "auto");
    assert.equal(latestState(session).pinnedRoot, undefined);
  });

  story("is kept, as not verifiable, when Git cannot tell", async (session) => {
    const other = await pinned(session);
    await session.pi.stop();
    // The worktree's own data are not where its file says.
    const data = join(session.workspace.repository, ".git/worktrees");
    renameSync(data, `${data}-away`);
    await session.restart();
    await shows(session, "📌 repo — · ~");
    assert.equal(latestState(session).pinnedRoot, other);
    renameSync(`${data}-away`, data);
    await session.type("/pr-footer refresh");
    await shows(session, PINNED);
  });
});
