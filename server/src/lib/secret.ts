import { inspect } from "node:util";

const REDACTED = "[redacted]";

/** A value that must never be printed. Logging, stringifying or inspecting it gives `[redacted]`. */
export type Secret<T> = { reveal(): T; toString(): string; toJSON(): string; [inspect.custom](): string };

export const secret = <T>(value: T): Secret<T> => ({
  // The value exists only in this closure, so walking the object's properties does not find it.
  reveal: () => value,
  toString: () => REDACTED,
  toJSON: () => REDACTED,
  [inspect.custom]: () => REDACTED,
});

const SECRET = /(sc_live_|sc_test_|whsec_)[^\s"'\\/?&]+/g;

/** The text without the API keys and webhook secrets in it. People paste them where they do not belong. */
export const maskSecrets = (text: string): string => text.replaceAll(SECRET, "$1…");
