/**
 * A core module whose memory has an end.
 *
 * JavaScript cannot keep a module from growing its memory; the module itself says how far it may. Ours says so, others
 * seldom do. Only the section of the memories is read and written anew; everything else stays as it is.
 */

const HEADER = 8;
const MEMORY_SECTION = 5;
const PAGE = 65_536;

/** The bits of a memory's kind. What else there may be (shared, 64 bits) is not for a component. */
const PLAIN = 0;
const WITH_MAXIMUM = 1;

/** `module`, with no memory that can grow beyond so many bytes. Throws if one begins larger. */
export function boundedMemory(module: Uint8Array, bytes: number): Uint8Array {
  const reader = new Reader(module, HEADER);
  while (!reader.isAtEnd) {
    const begin = reader.position;
    const id = reader.number();
    const body = reader.bytes(reader.number());
    if (id !== MEMORY_SECTION) continue;
    const bounded = boundedMemories(new Reader(body), Math.floor(bytes / PAGE));
    const section = [MEMORY_SECTION, ...number(bounded.length), ...bounded];
    return Buffer.concat([module.subarray(0, begin), Uint8Array.from(section), module.subarray(reader.position)]);
  }
  return module;
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

/** Reads numbers as WebAssembly writes them: LEB128, unsigned. */
class Reader {
  readonly #source: Uint8Array;
  position: number;

  constructor(source: Uint8Array, position = 0) {
    this.#source = source;
    this.position = position;
  }

  get isAtEnd(): boolean {
    return this.position >= this.#source.length;
  }

  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#source[this.position] ?? 0;
      this.position += 1;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  bytes(length: number): Uint8Array {
    this.position += length;
    return this.#source.subarray(this.position - length, this.position);
  }
}

function number(value: number): number[] {
  return value < 128 ? [value] : [128 + (value % 128), ...number(Math.floor(value / 128))];
}
