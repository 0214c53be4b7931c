import assert from "node:assert/strict";
import { describe } from "node:test";
import { story } from "../support/story.ts";

describe("a full disk under the real Pi", () => {
  story("is told once and survived, and what could not be written is written with the next change", async (session) => {
    await session.pi.status("pr-footer", (text) => text !== undefined);
    await session.call("notes_write_file", { path: "plan.md", text: "tamarind" });
    const states = () => session.entriesOf("pr-footer-state").map(({ data }) => (data as { mode: string }).mode);
    assert.deepEqual(states(), ["auto"]);

    await session.type("/rival fill-disk");
    for (const order of ["pin .", "unpin", "pin ."]) {
      await session.type(`/pr-footer ${order}`);
      const isPinned = order === "pin .";
      await session.pi.status("pr-footer", (text) => text?.startsWith("📌") === isPinned);
    }
    const told = await session.notices(/cannot be written/);
    assert.deepEqual(told, [
      {
        level: "error",
        text:
          "pi-capsule: the session file cannot be written (ENOSPC: no space left on device, write). " +
          "What has changed since will be forgotten when Pi ends.",
      },
    ]);
    assert.deepEqual(states(), ["auto"]);

    await session.type("/rival free-disk");
    await session.type("/pr-footer unpin");
    await session.type("/pr-footer pin .");
    await session.pi.status("pr-footer", (text) => text?.startsWith("📌") === true, session.pi.records.length - 1);
    await session.restart();
    await session.pi.status("pr-footer", (text) => /^📌 acme\/widget · /.test(text ?? ""));
    const { files } = await session.ask<{ files: { path: string }[] }>("notes_list_files");
    assert.deepEqual(
      files.map(({ path }) => path),
      ["plan.md"],
    );
  });
});
