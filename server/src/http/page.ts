import type { TSchema } from "typebox";
import type { CursorCodec, CursorScope } from "../lib/cursor.ts";
import { Type } from "./openapi/type.ts";
import { type Asked, invalidParameter, queryText } from "./query.ts";

export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 100;

export type PageRequest = { limit: number; after: string | undefined };

/** Reads `limit` and `cursor` of a list endpoint (CONTRACT 1, Paging). */
export function readPage(request: Asked, cursors: CursorCodec, scope: CursorScope): PageRequest {
  const limit = readLimit(queryText(request, "limit"));
  const cursor = queryText(request, "cursor");
  return { limit, after: cursor === undefined || cursor === "" ? undefined : cursors.decode(scope, cursor) };
}

/** CONTRACT 1, Paging. */
export function readLimit(text: string | undefined): number {
  if (text === undefined || text === "") return PAGE_LIMIT_DEFAULT;
  if (!/^\d+$/.test(text))
    throw invalidParameter(
      "limit",
      `limit must be a whole number from 1 to ${PAGE_LIMIT_MAX}, or 0 for the default of ${PAGE_LIMIT_DEFAULT}. Values above ${PAGE_LIMIT_MAX} count as ${PAGE_LIMIT_MAX}.`,
    );
  // Any number of digits: a value above the maximum becomes the maximum.
  return Number(text) === 0 ? PAGE_LIMIT_DEFAULT : Math.min(Number(text), PAGE_LIMIT_MAX);
}

/** The two parameters for the API reference. */
export const pageParameters = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      default: PAGE_LIMIT_DEFAULT,
      description: `Number of items to return, from 1 to ${PAGE_LIMIT_MAX}. Zero or empty means ${PAGE_LIMIT_DEFAULT}; values above ${PAGE_LIMIT_MAX} mean ${PAGE_LIMIT_MAX}.`,
      examples: [PAGE_LIMIT_DEFAULT],
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      description: "`nextCursor` of the previous page, unchanged. Empty for the first page.",
      examples: [""],
    }),
  ),
};

/** The envelope of every page. */
export const pageOf = <Item extends TSchema>(item: Item) =>
  Type.Object({
    data: Type.Array(item),
    hasMore: Type.Boolean({ description: "Whether there is another page." }),
    nextCursor: Type.String({
      description: "Pass this as `cursor` to get the next page. Empty on the last page.",
    }),
  });
