/**
 * A core module whose memory has an end.
 *
 * JavaScript cannot keep a module from growing its memory; the module itself says how far it may. Ours says so, others
 * seldom do. Only the section of the memories is read and written anew; everything else stays as it is.
 */
import { number, Reader, sections } from "./binary.ts";

const MEMORY_SECTION = 5;
const PAGE = 65_536;

/** The bits of a memory's kind. What else there may be (shared, 64 bits) is not for a component. */
const PLAIN = 0;
const WITH_MAXIMUM = 1;

/** `module`, with no memory that can grow beyond so many bytes. Throws if one begins larger. */
export function boundedMemory(module: Uint8Array, bytes: number): Uint8Array {
  const memories = [...sections(module)].find(({ id }) => id === MEMORY_SECTION);
  if (memories === undefined) return module;
  const bounded = boundedMemories(new Reader(memories.body), Math.floor(bytes / PAGE));
  const section = Uint8Array.from([MEMORY_SECTION, ...number(bounded.length), ...bounded]);
  return Buffer.concat([module.subarray(0, memories.begin), section, module.subarray(memories.end)]);
}

function boundedMemories(reader: Reader, most: number): number[] {
  const count = reader.number();
  const memories = Array.from({ length: count }, () => {
    const kind = reader.number();
    if (kind !== PLAIN && kind !== WITH_MAXIMUM) throw new Error("a memory is shared, or has addresses of 64 bits");
    const minimum = reader.number();
    const maximum = kind === WITH_MAXIMUM ? Math.min(reader.number(), most) : most;
    if (minimum > maximum) throw new Error(`a memory begins with ${minimum * PAGE} bytes; ${most * PAGE} are allowed`);
    return [WITH_MAXIMUM, ...number(minimum), ...number(maximum)];
  });
  return [...number(count), ...memories.flat()];
}
