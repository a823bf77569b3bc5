import type { FastifyReply, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import { csvLine, withoutFormulas } from "../lib/csv/csv-line.ts";
import { jsonReply } from "./json-reply.ts";

const CSV_TYPE = "text/csv";

/** Declares a response that is JSON, or CSV for a caller that asks for it. */
export const jsonOrCsvReply = <Schema extends TSchema>(description: string, schema: Schema) => ({
  description: `${description} With \`Accept: text/csv\` the same as CSV.`,
  content: {
    ...jsonReply(description, schema).content,
    [CSV_TYPE]: { schema: { type: "string" } },
  },
});

/** The header of a list's response. */
export const nextPageHeader = {
  Link: {
    description: 'CSV only: the URL of the next page with `rel="next"`. Absent on the last page.',
    schema: { type: "string", examples: ['</v1/orders?cursor=…>; rel="next"'] },
  },
};

/** Sends rows as CSV in UTF-8, with the names of the columns first and without formulas. Columns in `exact` stay as they are. */
export function sendCsv(
  reply: FastifyReply,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  exact?: ReadonlySet<string>,
): FastifyReply {
  const lines = [heads, ...rows.map((cells) => withoutFormulas(heads, cells, exact))];
  return reply
    .type(`${CSV_TYPE}; charset=utf-8`)
    .send(lines.map((cells) => `${csvLine(cells)}\r\n`).join(""));
}

/** Names the next page of a list. */
export function linkNextPage(request: FastifyRequest, reply: FastifyReply, nextCursor: string): void {
  if (nextCursor === "") return;
  const url = new URL(request.url, "http://localhost");
  url.searchParams.set("cursor", nextCursor);
  reply.header("link", `<${url.pathname}${url.search}>; rel="next"`);
}

/** Whether `Accept` prefers CSV to JSON. JSON is the default. */
export function wantsCsv({ headers }: Pick<FastifyRequest, "headers">): boolean {
  const ranges = (headers.accept ?? "").split(",").map(readRange);
  const csv = ranges.findIndex(({ type }) => type === CSV_TYPE);
  const csvWeight = ranges[csv]?.weight ?? 0;
  if (csvWeight === 0) return false;
  // Of two with the same weight the one that was named first is preferred. A wildcard names nothing.
  const json = ranges.findIndex(({ type }) => type === "application/json");
  const jsonWeight = ranges[json]?.weight ?? 0;
  return csvWeight > jsonWeight || (csvWeight === jsonWeight && csv < json);
}

function readRange(text: string): { type: string; weight: number } {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const q = parameters.find((parameter) => parameter.startsWith("q="));
  const weight = q === undefined ? 1 : Number(q.slice(2));
  return { type, weight: weight > 0 && weight <= 1 ? weight : 0 };
}
