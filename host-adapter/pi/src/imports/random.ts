/**
 * `random`: random bits. May be used without a session.
 */
import type * as Random from "../../component/types/interfaces/pi-extension-random.js";

export function random(): typeof Random {
  return { bits: () => crypto.getRandomValues(new Uint32Array(1))[0] ?? 0 };
}
