/**
 * What Node.js and browsers both have, in the units of the world.
 */

/** 32 random bits. */
export function randomBits(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}

/** The offset of local time at a moment, in minutes east of Greenwich. */
export function utcOffset(at: bigint): number {
  const west = new Date(Number(at)).getTimezoneOffset();
  // No number for a time that no calendar holds, and a fraction before there were time zones.
  return Math.round(-west) || 0;
}
