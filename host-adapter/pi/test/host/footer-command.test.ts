import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import type { Notice, ScriptedSession } from "../../harness/scripted-session.ts";
import { BEGIN, linesSince, read, shows, showsStill } from "../support/footer.ts";
import { AT_ONCE, story } from "../support/story.ts";

const USAGE = ["status", "pin <path>", "unpin", "refresh", "help"].map((word) => `/pr-footer ${word}`);

describe("/pr-footer in the real Pi", { concurrency: AT_ONCE }, () => {
  /** What the command says, which is one notice. */
  const says = async (session: ScriptedSession, typed: string): Promise<Notice> => {
    const before = (await session.notices()).length;
    await session.type(`/pr-footer${typed}`);
    const [notice, ...others] = (await session.notices()).slice(before);
    assert.deepEqual(others, []);
    return notice ?? { level: "none", text: "" };
  };
  const hasUsage = ({ text }: Notice) => USAGE.every((line) => text.includes(line));

  story("says by itself where the session is, and how it is used", async (session) => {
    await shows(session, BEGIN);
    const notice = await says(session, "");
    assert.equal(notice.level, "info");
    assert.match(notice.text, /^acme\/widget · feature\/footer · \d+s\n/);
    assert.ok(notice.text.includes(session.workspace.repository), notice.text);
    assert.ok(hasUsage(notice), notice.text);
  });

  story("status: the line, the mode and the root", async (session) => {
    await shows(session, BEGIN);
    const { repository } = session.workspace;
    const auto = await says(session, " status");
    assert.equal(auto.level, "info");
    assert.match(auto.text, /^acme\/widget · feature\/footer · \d+s\nmode: auto\b.*\nroot: /);
    assert.ok(auto.text.endsWith(`root: ${repository}`), auto.text);
    await session.type("/pr-footer pin .");
    await shows(session, `📌 ${BEGIN}`);
    assert.match((await says(session, " status")).text, /^📌 .*\nmode: pinned\n/);
  });

  story("help: how it is used, and what the signs mean", async (session) => {
    await shows(session, BEGIN);
    const notice = await says(session, " help");
    assert.equal(notice.level, "info");
    assert.ok(hasUsage(notice), notice.text);
    for (const sign of ["!", "~", "?", "📌"]) assert.ok(notice.text.includes(`${sign} `), sign);
  });

  for (const typed of ["pinned", "status now", "HELP"]) {
    story(`does not know ${typed}`, async (session) => {
      await shows(session, BEGIN);
      const notice = await says(session, ` ${typed}`);
      assert.equal(notice.level, "error");
      assert.ok(notice.text.includes(typed), notice.text);
      assert.ok(hasUsage(notice), notice.text);
    });
  }

  story("pin: resolves a path against the directory of Pi, to the root that it is in", async (session) => {
    const other = session.workspace.addWorktree("other tree", "topic");
    mkdirSync(join(other, "deep"));
    await shows(session, BEGIN);
    await session.type("/pr-footer pin ../other tree/deep");
    await shows(session, "📌 acme/widget · topic");
    const [notice] = await session.notices(/pin/i);
    assert.equal(notice?.level, "info");
    assert.ok(notice?.text.includes(other), notice?.text);
    await session.type('/pr-footer pin "../other tree"');
    await shows(session, "📌 acme/widget · topic");
  });

  for (const [path, why] of [
    ["../nowhere", /no such directory/],
    ["..", /not in a git repository/],
    ["README.md", /no such directory/],
    ["", /path/],
  ] as const) {
    story(`pin: changes nothing when it cannot be done: ${path || "no path"}`, async (session) => {
      await shows(session, BEGIN);
      await session.type("hello");
      const stored = session.entriesOf("pr-footer-state");
      const before = session.pi.records.length;
      await session.type(`/pr-footer pin ${path}`);
      await showsStill(session, BEGIN);
      const [notice, ...others] = await session.notices();
      assert.deepEqual(others, []);
      assert.equal(notice?.level, "error");
      assert.match(notice?.text ?? "", why);
      assert.deepEqual(linesSince(session, before), [BEGIN]);
      assert.deepEqual(session.entriesOf("pr-footer-state"), stored);
    });
  }

  story("unpin: says that nothing is pinned", async (session) => {
    await shows(session, BEGIN);
    assert.match((await says(session, " unpin")).text, /Nothing is pinned/);
    await session.run([read("README.md")]);
    await showsStill(session, BEGIN);
  });

  story("refresh: asks again for what was shown, and is asked for where there was nothing", async (session) => {
    await shows(session, BEGIN);
    session.workspace.git("branch", "--move", "topic");
    await session.type("/pr-footer refresh");
    await shows(session, "acme/widget · topic");
    assert.deepEqual(session.workspace.gh.branches, ["feature/footer", "topic"]);
  });
});
