const FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** A moment in the words of the person's language and time zone; in milliseconds. */
export function Moment({ at }: { readonly at: number }) {
  if (Number.isNaN(new Date(at).getTime())) return null;
  return <time dateTime={new Date(at).toISOString()}>{FORMAT.format(at)}</time>;
}
