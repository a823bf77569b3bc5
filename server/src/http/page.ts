import type { FastifyRequest } from "fastify";
import Type, { type TSchema } from "typebox";
import type { CursorCodec, CursorScope } from "../lib/cursor.ts";
import { invalidParameter, queryText } from "./query.ts";

export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 100;

export type PageRequest = { limit: number; after: string | undefined };

/** `limit` and `cursor` of a list endpoint, by CONTRACT 1, Paging. */
export function readPage(request: FastifyRequest, cursors: CursorCodec, scope: CursorScope): PageRequest {
  const limit = readLimit(queryText(request, "limit"));
  const cursor = queryText(request, "cursor");
  return { limit, after: cursor === undefined || cursor === "" ? undefined : cursors.decode(scope, cursor) };
}

function readLimit(text: string | undefined): number {
  if (text === undefined || text === "") return PAGE_LIMIT_DEFAULT;
  if (!/^\d+$/.test(text))
    throw invalidParameter(
      "limit",
      `limit must be a whole number: 1 to ${PAGE_LIMIT_MAX}, or 0 for the default of ${PAGE_LIMIT_DEFAULT}. More than ${PAGE_LIMIT_MAX} counts as ${PAGE_LIMIT_MAX}.`,
    );
  // However many digits: whatever is above the maximum is the maximum.
  return Number(text) === 0 ? PAGE_LIMIT_DEFAULT : Math.min(Number(text), PAGE_LIMIT_MAX);
}

/** The two parameters as the API reference shows them. */
export const pageParameters = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      default: PAGE_LIMIT_DEFAULT,
      description: `How many to return: 1 to ${PAGE_LIMIT_MAX}. Zero or nothing means ${PAGE_LIMIT_DEFAULT}; more than ${PAGE_LIMIT_MAX} means ${PAGE_LIMIT_MAX}.`,
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
    hasMore: Type.Boolean({ description: "Whether there is a next page." }),
    nextCursor: Type.String({
      description: "Pass it as `cursor` to get the next page. Empty on the last page.",
    }),
  });
