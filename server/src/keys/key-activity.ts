import type { Summary } from "../activity/queries.ts";
import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Tx } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { Clock } from "../lib/clock.ts";
import { type Limits, limitText } from "./limits/read-limits.ts";

export type KeyActivity = {
  action: "key.created" | "key.rolled" | "key.changed" | "key.frozen" | "key.unfrozen" | "key.revoked";
  id: string;
  before?: Summary;
  after?: Summary;
};

/** Writes into the log of its reseller what happened to a key, in the transaction of the change. */
export const recordOnKey = (
  tx: Tx,
  clock: Clock,
  { resellerId, environment }: Tenant,
  by: By,
  { id, ...activity }: KeyActivity,
): Promise<void> =>
  recordActivity(tx, clock, { ...activity, ...by, resellerId, environment, object: { kind: "key", id } });

type LimitFacts = Partial<Limits> & { currency?: string };

/** What the log keeps of a key: never the key itself. */
export const keySummary = (
  key: LimitFacts & {
    name: string;
    scopes?: readonly string[] | undefined;
    allowedIps: readonly string[];
  },
): Summary => ({
  name: key.name,
  scopes: [...(key.scopes ?? [])],
  allowedIps: [...key.allowedIps],
  ...limitsSummary(key),
});

/** Only limits that are there. */
function limitsSummary({ currency = "", maxOrderMinor, maxDayMinor, velocityTimes }: LimitFacts): Summary {
  return {
    ...(typeof maxOrderMinor === "bigint" ? { maxOrder: limitText(maxOrderMinor, currency) } : {}),
    ...(typeof maxDayMinor === "bigint" ? { maxDay: limitText(maxDayMinor, currency) } : {}),
    ...(typeof velocityTimes === "number" ? { velocity: `${velocityTimes} times the usual hour` } : {}),
  };
}
