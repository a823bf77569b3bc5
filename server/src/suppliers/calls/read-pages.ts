import { createHash } from "node:crypto";
import type { Json } from "../../lib/strict-json.ts";
import { type OddRow, SupplierUnreadable } from "../supplier.ts";
import { oddRow } from "./checked-reading.ts";

const PAGES_MAX = 2_000;

export type PagedList = {
  /** The number of the first page. */
  first: 0 | 1;
  /** Rows of a whole page. A page with fewer is the last. */
  size: number;
  read(page: number): Promise<readonly Json[]>;
};

/**
 * The rows of a list in pages. A page that came before ends the list, because some servers answer with the same page for ever; that
 * and a list without an end are odd rows without a number, so that nothing is taken for gone.
 */
export async function* readPages<Row>(
  { first, size, read }: PagedList,
  toRows: (row: Json) => readonly Row[],
): AsyncGenerator<readonly (Row | { odd: OddRow })[]> {
  const seen = new Set<string>();
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const rows = await read(first + page - 1).catch((error: unknown) => {
      if (!(error instanceof SupplierUnreadable)) throw error;
      throw new SupplierUnreadable(error.reason, ` on page ${page} of its list`);
    });
    const digest = createHash("sha256").update(JSON.stringify(rows)).digest("base64");
    if (rows.length > 0 && seen.has(digest))
      return yield [oddRow(undefined, "page", `${page} repeats an earlier page; the list ends there`)];
    seen.add(digest);
    yield rows.flatMap(toRows);
    if (rows.length < size) return;
  }
  yield [oddRow(undefined, "page", `${PAGES_MAX + 1} and those after it were not read`)];
}
