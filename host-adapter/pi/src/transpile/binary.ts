/**
 * The little of WebAssembly's binary format that is needed here: sections, numbers, names.
 */

/** Magic and version, which are the same length in modules and in components. */
export const HEADER = 8;

/** The header of a component. A core module has zeros in the place of its last two bytes. */
const COMPONENT = Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 0x0d, 0x00, 0x01, 0x00);

export interface Section {
  readonly id: number;
  readonly body: Uint8Array;
  /** Where the section begins and ends in the binary. */
  readonly begin: number;
  readonly end: number;
}

/** What the bytes are. */
export function kindOf(bytes: Uint8Array): "component" | "core module" | "neither" {
  const same = (from: number, to: number): boolean =>
    bytes.length >= to && COMPONENT.subarray(from, to).every((byte, index) => bytes[from + index] === byte);
  if (!same(0, 4)) return "neither";
  return same(4, HEADER) ? "component" : "core module";
}

/** The outermost sections, in order. */
export function* sections(binary: Uint8Array): Generator<Section> {
  const reader = new Reader(binary, HEADER);
  while (!reader.isAtEnd) {
    const begin = reader.position;
    const id = reader.number();
    const body = reader.bytes(reader.number());
    yield { id, body, begin, end: reader.position };
  }
}

/** Reads numbers as WebAssembly writes them: LEB128, unsigned. What is missing at the end reads as zero. */
export class Reader {
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

  text(): string {
    return new TextDecoder().decode(this.bytes(this.number()));
  }
}

/** A number as it is written. */
export function number(value: number): number[] {
  return value < 128 ? [value] : [128 + (value % 128), ...number(Math.floor(value / 128))];
}
