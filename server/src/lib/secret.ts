import { inspect } from "node:util";

const REDACTED = "[redacted]";

/** A value that must never be printed. Whatever logs, stringifies or inspects it sees `[redacted]`. */
export type Secret<T> = { reveal(): T; toString(): string; toJSON(): string; [inspect.custom](): string };

export const secret = <T>(value: T): Secret<T> => ({
  // The value lives in this closure alone, so that no walk over the object's properties finds it.
  reveal: () => value,
  toString: () => REDACTED,
  toJSON: () => REDACTED,
  [inspect.custom]: () => REDACTED,
});
