/**
 * Waiting in tests and scripts: everything waited for has a name and a limit.
 */

/** How long anything may take here before something must be wrong. */
const LIMIT_MILLISECONDS = 20_000;

/** How often a thing is looked at that cannot tell when it changes. */
const LOOK_MILLISECONDS = 40;

/** What `promise` gives, or an error that says what did not happen. */
export async function within<T>(what: string, promise: Promise<T>, milliseconds = LIMIT_MILLISECONDS): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`waited ${milliseconds} ms for ${what}`)), milliseconds);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Looks again and again until there is an answer. `describe` tells what was seen instead, for the error. */
export async function untilSeen<T>(
  what: string,
  look: () => Promise<T | undefined>,
  describe: () => string = () => "",
): Promise<T> {
  const end = performance.now() + LIMIT_MILLISECONDS;
  while (performance.now() < end) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
  }
  throw new Error(`waited ${LIMIT_MILLISECONDS} ms for ${what}\n${describe()}`);
}
