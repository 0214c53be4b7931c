import assert from "node:assert/strict";
import { describe } from "node:test";
import type { ScriptedSession } from "../../harness/scripted-session.ts";
import { READ, REMINDED, RESET, RESET_AND_READ, WARNED } from "../../harness/steps.ts";
import { AT_ONCE, story } from "../support/story.ts";

describe("a session that begins in the real Pi", { concurrency: AT_ONCE }, () => {
  for (const [how, before] of [
    ["when it is new", async () => {}],
    ["when the extensions are loaded again before the first prompt", (session) => session.type("/rival reload")],
  ] as readonly (readonly [string, (session: ScriptedSession) => Promise<void>])[]) {
    story(`has Pi's own prompt first and one boot block, ${how}`, async (session) => {
      await before(session);
      await session.type("Remember the word tamarind.");
      const [request = []] = session.requests;
      assert.equal(request[0]?.role, "system");
      assert.equal(request.filter(({ role }) => role === "system").length, 1);
      const [boot, ...others] = request.filter(({ text }) => text.includes("<context_window>"));
      assert.deepEqual(others, []);
      assert.match(boot?.text ?? "", /pcw:.{8}:root.*<context_window_protocol>/s);
      assert.equal(session.entriesOf("pi-context/boot").length, 1);
    });
  }

  story("has one boot block wherever the person begins anew", async (session) => {
    await session.type("Remember the word tamarind.");
    const [beforePrompt, prompt, end] = [
      session.entries.find(({ type }) => type === "thinking_level_change"),
      session.entries.find(({ message }) => message?.role === "user"),
      session.entries.at(-1),
    ];
    const boots = () => session.lastRequest.filter(({ text }) => text.includes("<context_window>")).length;
    await session.type(`/rival tree ${beforePrompt?.id}`);
    await session.type(`/rival tree ${end?.id}`);
    await session.type("What was the word?");
    assert.match(JSON.stringify(session.lastRequest), /tamarind/);
    assert.equal(boots(), 1);
    for (const { id } of [prompt, beforePrompt].filter((entry) => entry !== undefined)) {
      await session.type(`/rival tree ${id}`);
      await session.type("What was the word?");
      assert.doesNotMatch(JSON.stringify(session.lastRequest), /tamarind/);
      assert.equal(session.requests.at(-1)?.[0]?.role, "system");
      assert.equal(boots(), 1);
    }
  });
});

describe("a session that is taken up again in the real Pi", { concurrency: AT_ONCE }, () => {
  for (const [how, again] of [
    ["when the extensions are loaded again", (session: ScriptedSession) => session.type("/rival reload")],
    ["from disk", (session: ScriptedSession) => session.restart()],
  ] as const) {
    story(`has one boot block, reminder and warning a window, ${how}`, async (session) => {
      const warned = [
        { ...READ, used: REMINDED },
        { ...READ, used: WARNED },
        { say: "Done.", used: WARNED },
      ];
      await session.run(warned);
      const messages = () =>
        ["boot", "guidance", "warning"].map((name) => session.entriesOf(`pi-context/${name}`).length);
      assert.deepEqual(messages(), [1, 1, 1]);
      await again(session);
      await session.run(warned);
      assert.deepEqual(messages(), [1, 1, 1]);

      await session.run([RESET, { say: "On with it." }]);
      await again(session);
      await session.run(warned);
      await session.run(warned);
      assert.deepEqual(messages(), [1, 2, 2], "a reset window has its boot block in the summary");
      assert.equal(session.lastRequest.filter(({ text }) => text.includes("<context_window>")).length, 1);
      assert.equal(session.resets.length, 1);
    });
  }

  story("keeps its windows, notes and the number of its resets", async (session) => {
    const note = { call: [["notes_write_file", { path: "plan.md", text: "Step one" }] as const] };
    await session.run([note, RESET, { say: "On with it." }]);
    const windows = await session.windows();
    await session.restart();
    assert.deepEqual(await session.windows(), windows);
    assert.match((await session.call("notes_read_file", { path: "plan.md" })).text, /Step one$/);
    assert.deepEqual(await session.notices(), []);
    await session.run([RESET, { say: "On with it." }]);
    const [active, ...others] = await session.windows();
    assert.deepEqual(others, windows);
    assert.match(session.lastRequest[0]?.text ?? "", /plan\.md/);
    assert.match(session.lastRequest[0]?.text ?? "", new RegExp(active ?? "none"));
  });

  story("is not of a new session in the same process", async (session) => {
    await session.type("Remember the word tamarind.");
    const note = { call: [["notes_write_file", { path: "plan.md", text: "Step one" }] as const] };
    await session.run([note, RESET, { say: "On with it." }]);
    await session.pi.command("new_session");
    const [root, ...others] = await session.windows();
    assert.deepEqual(others, []);
    const boots = session.lastRequest.filter(({ text }) => text.includes("<context_window>"));
    assert.equal(boots.length, 1);
    assert.match(boots[0]?.text ?? "", new RegExp(root ?? "none"));
    assert.doesNotMatch(JSON.stringify(session.lastRequest), /tamarind|plan\.md/);
  });

  story("is told that a reset was asked for and never made", async (session) => {
    await session.runUntilHeld([RESET_AND_READ, { hold: "the last word" }]);
    await session.restart();
    await session.type("Where were we?");
    assert.deepEqual(session.resets, []);
    const [notice, ...others] = await session.notices();
    assert.deepEqual(others, []);
    assert.match(notice?.text ?? "", /reset.*did not happen/);
  });

  story("has the old window back before the reset, and the new one after it", async (session) => {
    await session.type("Remember the word tamarind.");
    await session.call("notes_write_file", { path: "plan.md", text: "Step one" });
    const before = session.entries.at(-1)?.id;
    await session.call("notes_write_file", { path: "other.md", text: "Of the other branch" });
    await session.run([RESET, { say: "On with it." }]);
    const after = session.entries.at(-1)?.id;
    const [active, root] = await session.windows();

    await session.type(`/rival tree ${before}`);
    assert.deepEqual(await session.windows(), [root]);
    assert.match(JSON.stringify(session.lastRequest), /tamarind/);
    const { files } = await session.ask<{ files: { path: string }[] }>("notes_list_files");
    assert.deepEqual(
      files.map(({ path }) => path),
      ["plan.md"],
    );
    assert.equal(session.entriesOf("pi-context/boot").length, 1);

    await session.run([RESET, { say: "On with it." }]);
    const [sibling, ...others] = await session.windows();
    assert.deepEqual(others, [root]);
    assert.notEqual(sibling, active);

    await session.type(`/rival tree ${after}`);
    assert.deepEqual(await session.windows(), [active, root]);
    assert.doesNotMatch(JSON.stringify(session.lastRequest), /tamarind/);
    assert.equal(session.entriesOf("pi-context/boot").length, 1);
  });
});
