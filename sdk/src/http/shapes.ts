/** The shape of a response, as data. `check` reads it, and a test compares it with the OpenAPI document. */
export type Shape<T> = Described & {
  /** Never set: it ties the shape to the type that it describes. */
  readonly of?: T;
};

export type Described =
  | { readonly kind: "text"; readonly words?: readonly string[] }
  | { readonly kind: "count" | "integer" | "flag" | "texts" }
  | { readonly kind: "list"; readonly item: Described }
  | { readonly kind: "object"; readonly members: Readonly<Record<string, Described | Optional<unknown>>> };

export type Optional<T> = { readonly kind: "optional"; readonly shape: Shape<T> };

/** Exactly the members of the type: the compiler keeps types and shapes together. */
export type Members<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K>
    ? Optional<Exclude<T[K], undefined>>
    : Shape<T[K]>;
};

/** A word from a list that later versions of the API can extend. Editors suggest the known ones. */
export type Open<Word extends string> = Word | (string & Record<never, never>);

/** A response that does not match the API. The message names the place and never the value. */
export class ShapeError extends Error {}

export const text: Shape<string> = { kind: "text" };
export const flag: Shape<boolean> = { kind: "flag" };
/** An integer from 0. */
export const count: Shape<number> = { kind: "count" };
export const integer: Shape<number> = { kind: "integer" };
/** Strings by names that come from the response, so an error never quotes the names. */
export const texts: Shape<Record<string, string>> = { kind: "texts" };

export const wordOf = <Word extends string>(words: readonly Word[]): Shape<Open<Word>> => ({
  kind: "text",
  words,
});

export const list = <T>(item: Shape<T>): Shape<T[]> => ({ kind: "list", item });

export const optional = <T>(shape: Shape<T>): Optional<T> => ({ kind: "optional", shape });

export const object = <T>(members: Members<T>): Shape<T> => ({
  kind: "object",
  members: members as Record<string, Described | Optional<unknown>>,
});

/** Additional members are accepted: later versions of the API can add some. */
export function readAs<T>(shape: Shape<T>, body: unknown): T {
  check(shape, body, "");
  return body as T;
}

function check(shape: Described, value: unknown, at: string): void {
  if (shape.kind === "list") checkList(shape.item, value, at);
  else if (shape.kind === "object") checkMembers(shape.members, value, at);
  else if (!IS_RIGHT[shape.kind](value)) throw wrong(at);
}

const isText = (value: unknown): boolean => typeof value === "string";

const IS_RIGHT: Record<Exclude<Described["kind"], "list" | "object">, (value: unknown) => boolean> = {
  text: isText,
  flag: (value) => typeof value === "boolean",
  count: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  integer: (value) => Number.isSafeInteger(value),
  texts: (value) => isRecord(value) && Object.values(value).every(isText),
};

function checkList(item: Described, value: unknown, at: string): void {
  if (!Array.isArray(value)) throw wrong(at);
  for (const [index, it] of value.entries()) check(item, it, `${at}[${index}]`);
}

function checkMembers(
  members: Readonly<Record<string, Described | Optional<unknown>>>,
  value: unknown,
  at: string,
): void {
  if (!isRecord(value)) throw wrong(at);
  for (const [name, shape] of Object.entries(members)) {
    const path = at === "" ? name : `${at}.${name}`;
    if (shape.kind !== "optional") check(shape, value[name], path);
    else if (value[name] !== undefined) check(shape.shape, value[name], path);
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const wrong = (at: string): ShapeError => new ShapeError(`${at || "the body"} is missing or wrong`);
