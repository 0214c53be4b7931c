import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { componentEmbed, componentNew } from "@bytecodealliance/jco-transpile/wasm-tools";
import { packageComponent, worldSource } from "../scripts/component-package.ts";
import { Capsule } from "../src/capsule.ts";
import { loadComponent } from "../src/component.ts";
import { importsFor } from "../src/imports/index.ts";
import { FakeHost } from "./support/fake-host.ts";
import { FakePi } from "./support/fake-pi.ts";
import { policy } from "./support/policy.ts";

const offered = Object.keys(importsFor(new FakeHost({})));

describe("component: memory", () => {
  it("has an end; beyond it the instance is replaced by one that has all of it again", async () => {
    const memories: WebAssembly.Memory[] = [];
    const component = await loadComponent(new URL("../component/", import.meta.url), (module, imports) => {
      const instance = new WebAssembly.Instance(module, imports);
      if (instance.exports.memory !== undefined) memories.push(instance.exports.memory as WebAssembly.Memory);
      return instance;
    });
    const pi = new FakePi();
    const capsule = new Capsule(pi.api, component, policy);
    await capsule.open(pi.context, "start", () => {});
    const [memory] = memories;
    assert.ok(memory);
    const page = 65_536;
    memory.grow((policy.limits.memoryBytes - memory.buffer.byteLength) / page);
    assert.throws(() => memory.grow(1), RangeError);
    const tooMuch = "x".repeat(8 * 1024 * 1024);
    await capsule.call("tool-observer.tool-finished", (guest) => guest.toolObserver.toolFinished(tooMuch, false));
    assert.match(String(pi.shown[0]?.[1]), /failed in tool-observer\.tool-finished .*and is started again/);
    assert.equal(memories.length, 2);
    assert.ok(Number(memories[1]?.buffer.byteLength) < policy.limits.memoryBytes / 100);
  });
});

describe("component: files", () => {
  let directory: string;
  let url: URL;
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), "pi-capsule-component-"));
    url = pathToFileURL(`${directory}/component/`);
    // A component of the whole world in which every export traps at once.
    const core = await componentEmbed({ dummy: true, witSource: await worldSource(), world: "extension" });
    await packageComponent(await componentNew(core), "traps.wasm", join(directory, "component"));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  it("finds a module for every import of the world", async () => {
    const { manifest } = await loadComponent(url);
    assert.deepEqual([...manifest.imports].sort(), [...offered].sort());
  });

  it("says what to do when the component has not been built", async () => {
    const missing = pathToFileURL(`${directory}/missing/`);
    await assert.rejects(
      loadComponent(missing),
      new RegExp(`^ComponentError: pi-capsule: cannot read ${missing.pathname}manifest.json. .*npm run build`),
    );
  });

  it("reports a real trap while it is being loaded", async () => {
    const capsule = new Capsule(new FakePi().api, await loadComponent(url), policy);
    assert.throws(() => capsule.describe((guest) => guest.tools.definitions()), /traps\.wasm failed .*unreachable/);
  });

  it("survives real traps in a session", async () => {
    const pi = new FakePi();
    const capsule = new Capsule(pi.api, await loadComponent(url), policy);
    await capsule.open(pi.context, "lifecycle.session-started", (guest) => guest.lifecycle.sessionStarted("startup"));
    await capsule.close("lifecycle.session-shut-down", (guest) => guest.lifecycle.sessionShutDown("quit"));
    assert.equal(pi.shown.length, 1);
    assert.match(
      String(pi.shown[0]?.[1]),
      /^pi-capsule: traps\.wasm failed in lifecycle\.session-started .*unreachable/,
    );
  });

  it("makes instances that do not share a fault", async () => {
    const component = await loadComponent(url);
    const first = component.instantiate(importsFor(new FakeHost({})));
    assert.throws(() => first.tools.definitions(), /unreachable/);
    const second = component.instantiate(importsFor(new FakeHost({})));
    assert.throws(() => second.tools.definitions(), /unreachable/);
  });
});
