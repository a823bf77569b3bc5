import type { Queryable } from "../db/database.ts";
import { csvLine, spreadsheetCell } from "../lib/csv/csv-line.ts";
import {
  ACTIVITY_PAGE_MAX,
  type ActivityEntry,
  type ActivityFilter,
  type ActivityReader,
  listActivity,
} from "./list-activity.ts";

const COLUMNS = [
  "id",
  "at",
  "actor_kind",
  "actor_id",
  "address",
  "action",
  "object_kind",
  "object_id",
  "reseller_id",
  "environment",
  "before",
  "after",
] as const;

/** The log as CSV, newest first, a page at a time: an export of any size holds one page in memory. */
export async function* exportActivity(
  db: Queryable,
  reader: ActivityReader,
  filter: ActivityFilter,
): AsyncGenerator<string> {
  yield `${csvLine(COLUMNS)}\r\n`;
  let after: string | undefined;
  do {
    const page = await listActivity(db, reader, filter, { limit: ACTIVITY_PAGE_MAX, after });
    if (page.data.length > 0) yield page.data.map((entry) => `${toLine(entry)}\r\n`).join("");
    after = page.nextAfter;
  } while (after !== undefined);
}

const toLine = (entry: ActivityEntry): string =>
  csvLine(
    [
      entry.id,
      entry.at.toISOString(),
      entry.actor.kind,
      entry.actor.id ?? "",
      entry.address ?? "",
      entry.action,
      entry.object.kind,
      entry.object.id,
      entry.resellerId ?? "",
      entry.environment ?? "",
      entry.before === undefined ? "" : JSON.stringify(entry.before),
      entry.after === undefined ? "" : JSON.stringify(entry.after),
    ].map(spreadsheetCell),
  );
