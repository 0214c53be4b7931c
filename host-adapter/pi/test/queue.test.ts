import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CallQueue } from "../src/queue.ts";

describe("call queue", () => {
  it("runs a job before it returns when nothing else runs", async () => {
    const queue = new CallQueue();
    let ran = false;
    const value = queue.run(() => {
      ran = true;
      return 7;
    });
    assert.equal(ran, true);
    assert.equal(await value, 7);
  });

  it("never runs a job inside another one, and keeps their order", async () => {
    const queue = new CallQueue();
    const story: string[] = [];
    const log = (line: string): string => {
      story.push(line);
      return line;
    };
    const inner: Promise<string>[] = [];
    await queue.run(() => {
      story.push("first begins");
      inner.push(queue.run(() => log("second")));
      inner.push(queue.run(() => log("third")));
      story.push("first ends");
    });
    assert.deepEqual(story, ["first begins", "first ends", "second", "third"]);
    assert.deepEqual(await Promise.all(inner), ["second", "third"]);
  });

  it("runs the effects of a job after it and before the next one", async () => {
    const queue = new CallQueue();
    const story: string[] = [];
    await queue.run(() => {
      void queue.run(() => story.push("next job"));
      queue.defer(() => story.push("effect 1"));
      queue.defer(() => story.push("effect 2"));
      story.push("job");
    });
    assert.deepEqual(story, ["job", "effect 1", "effect 2", "next job"]);
  });

  it("queues a job that an effect causes", async () => {
    const queue = new CallQueue();
    const story: string[] = [];
    await queue.run(() => {
      queue.defer(() => {
        void queue.run(() => story.push("caused"));
        story.push("effect");
      });
    });
    assert.deepEqual(story, ["effect", "caused"]);
  });

  it("runs an effect at once when no job runs", () => {
    const queue = new CallQueue();
    let ran = false;
    queue.defer(() => {
      ran = true;
    });
    assert.equal(ran, true);
  });

  it("drops the effects of a job that says so", async () => {
    const queue = new CallQueue();
    const story: string[] = [];
    await queue.run(() => {
      queue.defer(() => story.push("effect"));
      queue.dropEffects();
    });
    await queue.run(() => story.push("next job"));
    assert.deepEqual(story, ["next job"]);
  });

  it("gives a failure to the one who asked, and goes on", async () => {
    const queue = new CallQueue();
    const failed = queue.run(() => {
      throw new Error("broken");
    });
    await assert.rejects(failed, /broken/);
    assert.equal(await queue.run(() => "fine"), "fine");
  });
});
