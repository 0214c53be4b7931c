/**
 * Components that a person adds to the real Pi: the examples, dropped, named and given by a file of two lines.
 */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { pathToFileURL } from "node:url";
import { componentEmbed, componentNew } from "@bytecodealliance/jco-transpile/wasm-tools";
import { builtComponent } from "../../harness/components.ts";
import { PACKAGE } from "../../harness/pi-command.ts";
import type { ScriptedSession } from "../../harness/scripted-session.ts";
import type { Workspace } from "../../harness/workspace.ts";
import { worldSource } from "../../scripts/component-package.ts";
import { AT_ONCE, storyWith } from "../support/story.ts";

const TODO = builtComponent("todo.wasm");
const TEMPLATE = builtComponent("my_extension.wasm");

function drop(component: string, folder: string, name: string): void {
  mkdirSync(folder, { recursive: true });
  copyFileSync(component, join(folder, name));
}

const globally = (workspace: Workspace): string => join(workspace.agent, "extensions");
const inProject = (workspace: Workspace): string => join(workspace.repository, ".pi/extensions");

const todo = (session: ScriptedSession, args: object) => session.call("todo", args);
const about = async (session: ScriptedSession) => (await session.notices(/wasm/)).map(({ text }) => text);

describe("an added component", { concurrency: AT_ONCE }, () => {
  const dropped = { prepare: (workspace: Workspace) => drop(TODO, globally(workspace), "todo.wasm") };

  storyWith(dropped, "works with its tool, its command, its line, and what it keeps on the branch", async (session) => {
    assert.deepEqual(await todo(session, { action: "add", text: "run it" }), { isError: false, text: "1. [ ] run it" });
    await session.pi.status("todo", (text) => text === "0 of 1 done");
    await todo(session, { action: "done", number: 1 });
    await session.pi.status("todo", (text) => text === "1 of 1 done");
    const refused = await todo(session, { action: "done", number: 7 });
    assert.deepEqual(refused, { isError: true, text: "there is no number 7: the list ends at 1" });
    await session.type("/todo");
    assert.deepEqual(
      (await session.notices(/run it/)).map(({ text }) => text),
      ["1. [x] run it"],
    );
    assert.equal(session.entriesOf("todo/list").length, 2);

    await session.restart();
    await session.pi.status("todo", (text) => text === "1 of 1 done");
    assert.equal((await todo(session, { action: "list" })).text, "1. [x] run it");
    // The component of the package goes on beside it.
    await session.pi.status("pr-footer", (text) => text?.startsWith("acme/widget · feature/footer") ?? false);
    assert.equal((await session.windows()).length, 1);
  });

  storyWith(dropped, "is transpiled once", async (session) => {
    const shelves = join(session.workspace.agent, "cache/pi-capsule");
    await todo(session, { action: "list" });
    const kept = () => readdirSync(shelves).flatMap((shelf) => readdirSync(join(shelves, shelf)));
    const [first] = kept();
    await session.restart();
    await todo(session, { action: "list" });
    assert.deepEqual(kept(), [first]);
    // Another content takes the place of the first. What is damaged is made again.
    drop(TEMPLATE, globally(session.workspace), "todo.wasm");
    await session.restart();
    await session.type("/turns");
    const [second, ...more] = kept();
    assert.notEqual(second, first);
    assert.deepEqual(more, []);
    const [shelf = ""] = readdirSync(shelves);
    rmSync(join(shelves, shelf, second ?? "", "extension.core.wasm"));
    await session.restart();
    await session.type("/turns");
    assert.equal((await session.notices(/turn/)).length, 1);
  });

  storyWith(
    {
      prepare: (workspace) => {
        drop(TODO, join(workspace.agent, "kept"), "todo.wasm");
        drop(TEMPLATE, globally(workspace), "my_extension.wasm");
      },
      settings: { "pi-capsule": { components: ["kept/todo.wasm"] } },
    },
    "may be one of several, and named in the settings",
    async (session) => {
      await session.pi.status("my-extension", (text) => text === "0 turns");
      assert.equal((await todo(session, { action: "list" })).text, "There is nothing to do.");
      await session.pi.status("my-extension", (text) => text === "2 turns");
      await session.type("/pi-capsule");
      const [said] = await session.notices(/running/);
      for (const name of ["pi_capsule.wasm", "todo.wasm", "my_extension.wasm"]) {
        assert.match(said?.text ?? "", new RegExp(`^pi-capsule: ${name} is running\\.$`, "m"));
      }
    },
  );

  for (const [trust, isLoaded] of [
    ["--approve", true],
    ["--no-approve", false],
  ] as const) {
    storyWith(
      { args: [trust], prepare: (workspace) => drop(TODO, inProject(workspace), "todo.wasm") },
      `in a project ${isLoaded ? "is loaded once it is trusted" : "is not loaded while it is not trusted"}`,
      async (session) => {
        await session.type("hello");
        assert.equal(session.offeredTools.includes("todo"), isLoaded);
      },
    );
  }

  storyWith(
    {
      prepare: (workspace) => {
        drop(TODO, workspace.directory, "todo.wasm");
        const adapter = pathToFileURL(join(PACKAGE, "src/index.ts")).pathname;
        writeFileSync(
          join(workspace.directory, "todo.ts"),
          `import { component } from ${JSON.stringify(adapter)};\nexport default component(new URL("todo.wasm", import.meta.url));\n`,
        );
      },
      args: ["--extension", "../../todo.ts"],
    },
    "may be what a file of two lines says",
    async (session) => {
      assert.equal((await todo(session, { action: "add", text: "a" })).text, "1. [ ] a");
      await session.type("/pi-capsule restart todo");
      assert.deepEqual(await about(session), ["pi-capsule: todo.wasm is running."]);
      assert.equal((await todo(session, { action: "list" })).text, "1. [ ] a");
    },
  );
});

describe("an added component that cannot be loaded", { concurrency: AT_ONCE }, async () => {
  /** A component of the next version of the world. */
  const witSource = (await worldSource()).replace("package pi:extension@0.1.0", "package pi:extension@0.2.0");
  const future = await componentNew(await componentEmbed({ dummy: true, witSource, world: "extension" }));

  const told = (name: string, prepare: (workspace: Workspace) => void, message: RegExp, settings: object = {}) => {
    storyWith({ prepare, settings }, name, async (session) => {
      await session.type("hello");
      const errors = (await session.notices()).filter(({ level }) => level === "error");
      assert.equal(errors.length, 1, JSON.stringify(errors));
      assert.match(errors[0]?.text ?? "", message);
      // Everything else goes on.
      assert.equal((await session.windows()).length, 1);
    });
  };

  told(
    "because its tool and its command are taken, says whose they are",
    (workspace) => {
      drop(TODO, globally(workspace), "todo.wasm");
      drop(TODO, globally(workspace), "todo2.wasm");
    },
    /todo2\.wasm is not loaded: the tool "todo" is taken \(.*\); the command "todo" is taken \(.*\)\. Take one/,
  );
  told(
    "because it is the one of the package once more, says which names are taken",
    (workspace) => drop(builtComponent("pi_capsule.wasm"), globally(workspace), "again.wasm"),
    /again\.wasm is not loaded: the tool "new_context" is taken \(.*the command "pr-footer" is taken/,
  );
  told(
    "because another one has its name, says so",
    (workspace) => {
      drop(TEMPLATE, join(workspace.agent, "one"), "same.wasm");
      drop(TODO, join(workspace.agent, "two"), "same.wasm");
    },
    /two\/same\.wasm is not loaded: another component is called same\. Take one of the two away\.$/,
    { "pi-capsule": { components: ["one/same.wasm", "two/same.wasm"] } },
  );
  told(
    "because of its name, says what a name is",
    (workspace) => drop(TODO, globally(workspace), "To Do.wasm"),
    /To Do\.wasm has a name that nothing can be named after\. Rename it: small letters, digits and hyphens\.$/,
  );
  told(
    "because its name is one of pi-capsule's, says so",
    (workspace) => drop(TODO, globally(workspace), "pi-context.wasm"),
    /pi-context\.wasm has a name that pi-capsule itself uses\. Rename it\.$/,
  );
  told(
    "because it is a core module, says how to make a component of it",
    (workspace) => {
      mkdirSync(globally(workspace));
      writeFileSync(join(globally(workspace), "core.wasm"), Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
    },
    /core\.wasm is a core module, not a component\. Make one of it with `wasm-tools component new`\.$/,
  );
  told(
    "because it is cut off, says so",
    (workspace) => {
      mkdirSync(globally(workspace));
      writeFileSync(
        join(globally(workspace), "cut.wasm"),
        Uint8Array.of(0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0, 10, 200, 1),
      );
    },
    /cut\.wasm is not a component that can be loaded \(.+\)\.$/,
  );
  told(
    "because it was made for another world, says which, and which there is",
    (workspace) => {
      mkdirSync(globally(workspace));
      writeFileSync(join(globally(workspace), "future.wasm"), future);
    },
    /^pi-capsule: future\.wasm was made for pi:extension\/[a-z-]+ 0\.2\.0, this host has 0\.1\.0\. Install the same version/,
  );
  told(
    "because it is empty, says so",
    (workspace) => {
      mkdirSync(globally(workspace));
      writeFileSync(join(globally(workspace), "empty.wasm"), "");
    },
    /empty\.wasm is not WebAssembly\. Is it complete\?$/,
  );
  told(
    "because it is not there, says where it was looked for",
    () => {},
    /cannot read .*agent\/nowhere\.wasm \(ENOENT/,
    { "pi-capsule": { components: ["nowhere.wasm"] } },
  );
  told(
    "because the settings make no sense, says how they would",
    () => {},
    /"pi-capsule" in .*settings\.json is not understood\. Write \{"components": \["path\/to\/component\.wasm"\]\}\.$/,
    { "pi-capsule": { components: "todo.wasm" } },
  );
  told(
    "because its policy makes no sense, says what may be in one",
    (workspace) => {
      drop(TODO, globally(workspace), "todo.wasm");
      writeFileSync(join(globally(workspace), "todo.policy.json"), '{"everything": true}');
    },
    /todo\.policy\.json is no policy \(.*\)\. It may hold programs, placeholders, settingsSections, statusKeys, customTypes\.$/,
  );

  storyWith(
    { prepare: (workspace) => drop(TODO, globally(workspace), "other.wasm") },
    "to do more than it may is told when it tries",
    async (session) => {
      // Under this name its entries and its line are not its own.
      await todo(session, { action: "add", text: "a" });
      const notices = (await session.notices(/refused/)).map(({ text }) => text);
      assert.deepEqual(notices.sort(), [
        'pi-capsule: refused a request of the component: entries of type "todo/list" are not allowed.',
        'pi-capsule: refused a request of the component: the status line "todo" is not allowed.',
      ]);
      assert.equal(session.entriesOf("todo/list").length, 0);
    },
  );

  storyWith(
    {
      prepare: (workspace) => {
        drop(TODO, globally(workspace), "other.wasm");
        const more = { statusKeys: ["todo"], customTypes: ["todo/*"] };
        writeFileSync(join(globally(workspace), "other.policy.json"), JSON.stringify(more));
      },
    },
    "to do more than it may can be let by a file beside it",
    async (session) => {
      await todo(session, { action: "add", text: "a" });
      await session.pi.status("todo", (text) => text === "0 of 1 done");
      assert.equal(session.entriesOf("todo/list").length, 1);
      assert.deepEqual(await session.notices(/refused/), []);
    },
  );

  storyWith({}, "does not make a cache while there is none", async (session) => {
    await session.type("hello");
    assert.equal(existsSync(join(session.workspace.agent, "cache/pi-capsule")), false);
  });
});
