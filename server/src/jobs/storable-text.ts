/** PostgreSQL stores neither the NUL character nor half of a surrogate pair. Each becomes U+FFFD. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd");

/** JSON for a jsonb column of values that may quote a file. */
export const storableJson = (value: object): string =>
  JSON.stringify(value, (_name, inner: unknown) => (typeof inner === "string" ? storableText(inner) : inner));
