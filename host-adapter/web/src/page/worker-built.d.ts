/** The worker as `scripts/build.ts` has bundled it. */
declare module "worker:built" {
  const source: string;
  export default source;
}

/** The stored session that the page shows as its example. */
declare module "*.jsonl" {
  const text: string;
  export default text;
}
