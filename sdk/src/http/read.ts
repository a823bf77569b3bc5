import type { CallOptions, CsvPage, Page, PageFilters } from "../types/common.ts";
import type { Connection } from "./connection.ts";
import { type Listing, toListing } from "./listing.ts";
import { perform } from "./perform.ts";
import { type Shape, text } from "./shapes.ts";

/** A GET of one object. */
export async function read<T>(
  connection: Connection,
  path: string,
  shape: Shape<T>,
  options?: CallOptions,
): Promise<T> {
  const call = { method: "GET", path, expected: 200, shape, isRepeatable: true } as const;
  return (await perform(connection, call, options)).value;
}

/** A GET of a list. Every page sends the filters, because a cursor is bound to them. */
export function readList<T>(
  connection: Connection,
  toPath: () => string,
  shape: Shape<Page<T>>,
  filters: PageFilters = {},
  options?: CallOptions,
): Listing<T> {
  return toListing(
    async (cursor) => read(connection, toPath() + toQuery({ ...filters, cursor }), shape, options),
    filters.cursor,
  );
}

/** A GET of the same as CSV. */
export async function readCsv(
  connection: Connection,
  path: string,
  filters: PageFilters = {},
  options?: CallOptions,
): Promise<CsvPage> {
  const call = {
    method: "GET",
    path: path + toQuery(filters),
    expected: 200,
    shape: text,
    readsCsv: true,
    isRepeatable: true,
  } as const;
  const { value, headers } = await perform(connection, call, options);
  const cursor = NEXT_CURSOR.exec(headers.get("link") ?? "")?.[1] ?? "";
  return { csv: value, nextCursor: decodeURIComponent(cursor) };
}

const NEXT_CURSOR = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/;

/** An id that a path would drop or read as a parent folder must not become another request. */
export function segment(id: string): string {
  if (typeof id !== "string" || !/[^.]/.test(id)) throw new RangeError("the id is not valid");
  return encodeURIComponent(id);
}

export function toQuery(filters: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) {
    if (value instanceof Date) query.set(name, value.toISOString());
    else if (value !== undefined) query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
