import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { OpenSuppliers } from "../suppliers/open-suppliers.ts";
import { SupplierUnreadable, type ToldRate } from "../suppliers/supplier.ts";
import { formatDecimal, parseDecimal } from "./fraction.ts";
import { RATE_DECIMALS_MAX, RATE_DIGITS_MAX } from "./fx-rate.ts";
import { insertRates } from "./queries.ts";
import { claimSource, listDueFeeds, markReceived } from "./source-queries.ts";

export type FeedDeps = { db: Db; clock: Clock; openSupplier: OpenSuppliers["open"] };

/** New rates make all prices be worked out again, and a feed moves little within hours. */
const FEED_EVERY_MS = 6 * 3_600_000;
const RETRY_AFTER_MS = 3_600_000;

/**
 * Reads the exchange rates of the next supplier whose feed is used and due. Workers take turns. Without a usable answer it throws; the
 * feed is due again in an hour, and its last rates are used until they are too old. Returns whether more may be due.
 */
export async function refreshNextFeed({ db, clock, openSupplier }: FeedDeps): Promise<boolean> {
  const now = clock.now();
  const [supplierId] = await listDueFeeds(db, now);
  if (supplierId === undefined) return false;
  if (!(await claimSource(db, supplierId, now, new Date(now.getTime() + RETRY_AFTER_MS)))) return true;
  const told = await (await openSupplier(supplierId))?.supplier.readRates?.();
  if (!told) throw new SupplierUnreadable("not_open");
  const receivedAt = clock.now();
  const rates = told.flatMap(toRate);
  await db.transaction(async (tx) => {
    const rows = rates.map((one) => ({
      ...one,
      source: "supplier" as const,
      supplierId,
      at: receivedAt,
      until: null,
    }));
    if (rows.length > 0) await insertRates(tx, rows, receivedAt);
    await markReceived(tx, supplierId, receivedAt, new Date(receivedAt.getTime() + FEED_EVERY_MS));
  });
  return true;
}

/** Rounded half up to as many decimals as are stored. What does not fit is left out. */
function toRate({ base, quote, rate }: ToldRate): ToldRate[] {
  const value = parseDecimal(rate);
  const rounded = value && formatDecimal(value, RATE_DECIMALS_MAX);
  const fits =
    rounded !== undefined && rounded !== "0" && (rounded.split(".")[0] ?? "").length <= RATE_DIGITS_MAX;
  return fits ? [{ base, quote, rate: rounded }] : [];
}
