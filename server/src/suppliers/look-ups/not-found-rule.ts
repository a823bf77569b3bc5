import sql from "sql-template-tag";
import { type By, recordActivity } from "../../activity/record-activity.ts";
import type { Db, Queryable } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { getSupplier, noSupplier } from "../get-supplier.ts";
import { findKind } from "../registry.ts";

/** When a purchase that its supplier does not find counts as not made (CONTRACT 8). */
export type NotFoundRule = {
  /** After so many look-ups that did not find it … */
  times: number;
  /** … of which the last was asked so long after the first. */
  overMs: number;
  /** How long the supplier's books may lag: before that "not found" says nothing, and nothing is sent again. */
  resendAfterMs: number;
  /** At most so many in an hour. Any further ones wait for a person. */
  perHour: number;
};

const MINUTE_MS = 60_000;
/** A kind that only a newer version knows. */
const LAG_MS = MINUTE_MS;
const DEFAULTS = { times: 5, overMs: 15 * MINUTE_MS, perHour: 5 };

const TIMES_MAX = 100;
const OVER_MAX_MS = 24 * 60 * MINUTE_MS;
const RESEND_AFTER_MAX_MS = 60 * MINUTE_MS;
const PER_HOUR_MAX = 100_000;

export type StoredRule = {
  kind: string;
  times: number | null;
  overMs: number | null;
  resendAfterMs: number | null;
  perHour: number | null;
};

export const ruleColumns = sql`
  s.kind, s.not_found_times as times, s.not_found_over_ms as "overMs", s.resend_after_ms as "resendAfterMs",
  s.not_made_per_hour as "perHour"`;

/** What is not set is the default, for the lag that of the kind. */
export function toRule({ kind, times, overMs, resendAfterMs, perHour }: StoredRule): NotFoundRule {
  const known = findKind(kind);
  const lagMs = known && !known.hasOwnStock ? known.resendAfterMs : LAG_MS;
  return {
    times: times ?? DEFAULTS.times,
    overMs: overMs ?? DEFAULTS.overMs,
    resendAfterMs: resendAfterMs ?? lagMs,
    perHour: perHour ?? DEFAULTS.perHour,
  };
}

export async function getNotFoundRule(db: Queryable, supplierId: string): Promise<NotFoundRule> {
  const [row] = await db.rows<StoredRule>(
    sql`select ${ruleColumns} from suppliers s where s.id = ${supplierId}`,
  );
  if (!row) throw noSupplier(supplierId);
  return toRule(row);
}

/** Changes what is given. */
export async function setNotFoundRule(
  { db, clock }: { db: Db; clock: Clock },
  id: string,
  change: Partial<NotFoundRule>,
  by: By,
): Promise<NotFoundRule> {
  const { hasOwnStock } = await getSupplier(db, id);
  if (hasOwnStock) throw new RangeError("nothing is looked up at a supplier with your own stock");
  check(change.times, 1, TIMES_MAX, `--not-found-times is from 1 to ${TIMES_MAX}`);
  check(change.overMs, MINUTE_MS, OVER_MAX_MS, "--not-found-over is from 1m to 24h");
  check(change.resendAfterMs, 0, RESEND_AFTER_MAX_MS, "--resend-after is from 0 to 60m");
  check(change.perHour, 0, PER_HOUR_MAX, `--not-made-per-hour is from 0 to ${PER_HOUR_MAX}`);
  return db.transaction(async (tx) => {
    await tx.rows(sql`
      update suppliers set
        not_found_times = coalesce(${change.times ?? null}, not_found_times),
        not_found_over_ms = coalesce(${change.overMs ?? null}, not_found_over_ms),
        resend_after_ms = coalesce(${change.resendAfterMs ?? null}, resend_after_ms),
        not_made_per_hour = coalesce(${change.perHour ?? null}, not_made_per_hour)
      where id = ${id}`);
    const rule = await getNotFoundRule(tx, id);
    await recordActivity(tx, clock, {
      ...by,
      action: "supplier.not_found_rule_set",
      object: { kind: "supplier", id },
      after: rule,
    });
    return rule;
  });
}

function check(value: number | undefined, min: number, max: number, sentence: string): void {
  if (value !== undefined && !(Number.isInteger(value) && value >= min && value <= max))
    throw new RangeError(sentence);
}
