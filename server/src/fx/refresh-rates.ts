import type { By } from "../activity/record-activity.ts";
import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { fetchRates } from "./fetch-rates.ts";
import { claimSource, markReceived } from "./source-queries.ts";

export type RefreshDeps = {
  db: Db;
  clock: Clock;
  /** FX_RATES_URL. */
  ratesUrl: string | undefined;
  timeoutMs?: number;
};

/** A new file appears once a day, at an hour that differs. Asking again costs 2 KB. */
const REFERENCE_EVERY_MS = 3_600_000;
const BY: By = { actor: { kind: "system", id: "rates" } };

/**
 * Reads the reference rates from FX_RATES_URL, once an hour: whichever process comes first takes the turn. A failure throws, and the next
 * turn tries again; meanwhile the last rates are used until they are too old.
 */
export async function refreshReference(deps: RefreshDeps): Promise<boolean> {
  const { db, clock, ratesUrl } = deps;
  if (ratesUrl === undefined) return false;
  const now = clock.now();
  if (!(await claimSource(db, "reference", now, new Date(now.getTime() + REFERENCE_EVERY_MS)))) return false;
  await fetchRates(deps, BY, ratesUrl);
  await markReceived(db, "reference", clock.now());
  return true;
}
