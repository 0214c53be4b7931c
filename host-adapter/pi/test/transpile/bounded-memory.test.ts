import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { boundedMemory } from "../../src/transpile/bounded-memory.ts";

/** `(module (memory (export "memory") …))`, with the limits of the memory as they are written. */
const moduleWith = (...limits: number[]) =>
  new Uint8Array([
    ...[0, 97, 115, 109, 1, 0, 0, 0],
    ...[5, 1 + limits.length, 1, ...limits],
    ...[7, 10, 1, 6, 109, 101, 109, 111, 114, 121, 2, 0],
  ]);

const PAGE = 65_536;

function memoryOf(module: Uint8Array): WebAssembly.Memory {
  return new WebAssembly.Instance(new WebAssembly.Module(module as BufferSource)).exports.memory as WebAssembly.Memory;
}

describe("bounded memory", () => {
  it("ends where it is told to, with or without an end of its own", () => {
    for (const limits of [
      [0, 2],
      [1, 2, 255, 127],
      [1, 2, 200, 2],
    ]) {
      const memory = memoryOf(boundedMemory(moduleWith(...limits), 300 * PAGE + 1));
      assert.equal(memory.grow(298), 2);
      assert.throws(() => memory.grow(1), RangeError);
    }
  });

  it("keeps an end that is nearer", () => {
    const memory = memoryOf(boundedMemory(moduleWith(1, 2, 3), 300 * PAGE));
    assert.equal(memory.grow(1), 2);
    assert.throws(() => memory.grow(1), RangeError);
  });

  it("leaves a module without memory as it is", () => {
    const module = moduleWith(0, 0).subarray(0, 8);
    assert.equal(boundedMemory(module, PAGE), module);
  });

  it("refuses what begins too large, and kinds that no component has", () => {
    assert.throws(() => boundedMemory(moduleWith(0, 3), 2 * PAGE), /begins with 196608 bytes; 131072 are allowed/);
    assert.throws(() => boundedMemory(moduleWith(3, 1, 2), 2 * PAGE), /shared/);
  });
});
