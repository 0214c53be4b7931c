import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import type { ScriptedSession } from "../../harness/scripted-session.ts";
import { untilSeen } from "../../harness/wait.ts";
import { BEGIN, bash, linesSince, read, shows, showsStill } from "../support/footer.ts";
import { AT_ONCE, story, storyWith } from "../support/story.ts";

const OTHER = "acme/widget · topic";

/** Pi leaves out some of its tools unless it is asked for them. */
const ALL_TOOLS = ["--tools", "read,bash,edit,write,grep,find,ls"];

const readme = (directory: string) => join(directory, "README.md");

describe("the footer in the real Pi follows", { concurrency: AT_ONCE }, () => {
  /** A session in one worktree, and the path of a second one. */
  const begun = async (session: ScriptedSession) => {
    const other = session.workspace.addWorktree("other tree", "topic");
    await shows(session, BEGIN);
    return other;
  };

  story("the files that the model reads, and goes back with it", async (session) => {
    const other = await begun(session);
    await session.run([read(readme(other))]);
    await shows(session, OTHER);
    await session.run([read("README.md")]);
    await shows(session, BEGIN);
  });

  for (const [tool, argumentsIn] of [
    ["write", (directory) => ({ path: join(directory, "new/deep/file.txt"), content: "x\n" })],
    ["edit", (directory) => ({ path: readme(directory), edits: [{ oldText: "Widget", newText: "Gadget" }] })],
    ["grep", (directory) => ({ path: directory, pattern: "Widget" })],
    ["find", (directory) => ({ path: directory, pattern: "*.md" })],
    ["ls", (directory) => ({ path: directory })],
  ] as readonly (readonly [string, (directory: string) => object])[]) {
    // Pi's `grep` and `find` want programs that need not be there: a call counts also when it fails.
    storyWith({ args: ALL_TOOLS }, `what the model does with ${tool}`, async (session) => {
      const other = await begun(session);
      await session.call(tool, argumentsIn(other));
      await shows(session, OTHER);
    });
  }

  for (const command of ["cd 'DIR' && git status", "git -C 'DIR' status", "cat 'DIR/README.md'", 'ls -la "DIR"']) {
    story(`a command that names one place: ${command}`, async (session) => {
      const other = await begun(session);
      await session.run([bash(command.replace("DIR", other))]);
      await shows(session, OTHER);
    });
  }

  for (const command of [
    "cd 'DIR'; git status",
    "ls 'DIR' | wc",
    "cd \"$(echo 'DIR')\" && ls",
    "cp 'DIR/README.md' x",
  ]) {
    story(`no command that leaves a doubt: ${command}`, async (session) => {
      const other = await begun(session);
      const before = session.pi.records.length;
      await session.run([bash(command.replace("DIR", other))]);
      await showsStill(session, BEGIN);
      assert.deepEqual(linesSince(session, before), [BEGIN]);
    });
  }

  story("files rather than commands, when one batch has both", async (session) => {
    const other = await begun(session);
    const before = session.pi.records.length;
    await session.run([
      { call: [["bash", { command: `git -C '${other}' status` }], ...(read("README.md").call ?? [])] },
    ]);
    await showsStill(session, BEGIN);
    assert.deepEqual(linesSince(session, before), [BEGIN]);
  });

  story("no guess, when files of two worktrees are used at once", async (session) => {
    const other = await begun(session);
    await session.run([read("README.md", readme(other))]);
    await shows(session, "repo? 2 · ?");
    await session.run([read(readme(other))]);
    await shows(session, OTHER);
  });

  story("nothing outside of every repository", async (session) => {
    await begun(session);
    writeFileSync(join(session.workspace.directory, "loose.txt"), "x");
    const before = session.pi.records.length;
    await session.run([read(join(session.workspace.directory, "loose.txt"))]);
    await showsStill(session, BEGIN);
    assert.deepEqual(linesSince(session, before), [BEGIN]);
  });
});

describe("a change that the model makes in the real Pi is seen", { concurrency: AT_ONCE }, () => {
  story("when the branch is switched", async (session) => {
    await shows(session, BEGIN);
    await session.run([bash("git switch --create topic")]);
    await shows(session, OTHER);
  });

  story("when the branch of another worktree is switched", async (session) => {
    const other = session.workspace.addWorktree("other tree", "aside");
    await shows(session, BEGIN);
    await session.run([bash(`cd '${other}' && git switch --create topic`)]);
    await shows(session, OTHER);
  });

  story("when the branch is switched and the rest of the command fails", async (session) => {
    const { workspace } = session;
    // The exit code of this hook becomes that of the command.
    writeFileSync(join(workspace.repository, ".git/hooks/post-checkout"), "#!/bin/sh\nexit 3\n", { mode: 0o755 });
    await shows(session, BEGIN);
    const { isError, text } = await session.call("bash", { command: "cd . && git switch --create topic" });
    assert.equal(isError, true, text);
    await shows(session, OTHER);
  });

  story("when the branch is switched in a chain whose last command fails", async (session) => {
    await shows(session, BEGIN);
    const { isError, text } = await session.call("bash", { command: "git switch --create topic && false" });
    assert.equal(isError, true, text);
    await shows(session, OTHER);
  });

  for (const [command, line] of [
    ["git branch --move topic", OTHER],
    ["git checkout --detach HEAD", undefined],
    ["git remote set-url origin git@github.com:acme/gadget.git", "acme/gadget · feature/footer"],
    ["git config remote.origin.url ssh://git@github.com/acme/gadget", "acme/gadget · feature/footer"],
    ["git remote remove origin", "widget · feature/footer · !"],
    ["git symbolic-ref HEAD refs/heads/topic", OTHER],
  ] as const) {
    story(`when it is ${command}`, async (session) => {
      await shows(session, BEGIN);
      await session.run([bash(command)]);
      const commit = () => session.workspace.git("rev-parse", "--short", "HEAD").trim();
      await shows(session, line ?? `acme/widget · @${commit()} · !`);
    });
  }

  story("when a worktree has been added, and not before", async (session) => {
    const { workspace } = session;
    const [reached, goOn] = [join(workspace.directory, "reached"), join(workspace.directory, "go-on")];
    // Git runs it when the worktree is there and the command has not ended.
    const hook = `#!/bin/sh\ntouch '${reached}'\nwhile [ ! -e '${goOn}' ]; do sleep 0.02; done\n`;
    writeFileSync(join(workspace.repository, ".git/hooks/post-checkout"), hook, { mode: 0o755 });
    await shows(session, BEGIN);
    const added = join(workspace.directory, "home/topic");

    const before = session.pi.records.length;
    const over = session.run([bash(`git worktree add ${added}`), { say: "Added." }]);
    await untilSeen("the worktree", async () => existsSync(reached) || undefined);
    assert.ok(existsSync(readme(added)));
    await showsStill(session, BEGIN);
    writeFileSync(goOn, "");
    await over;
    await shows(session, OTHER);
    assert.deepEqual(linesSince(session, before), [BEGIN, `${OTHER} · !`, OTHER]);
  });

  storyWith(
    { prepare: ({ gh }) => gh.answer("topic", []) },
    "when it was made by hand, by the next refresh",
    async (session) => {
      await shows(session, BEGIN);
      session.workspace.git("switch", "--quiet", "--create", "topic");
      await showsStill(session, BEGIN);
      await session.type("/pr-footer refresh");
      await shows(session, OTHER);
    },
  );
});
