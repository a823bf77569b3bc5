import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { type EndpointHealth, readHealth } from "../webhooks/health/read-health.ts";
import {
  countHeld,
  countUnknown,
  type FailingEndpoint,
  listFailingEndpoints,
  listMissing,
  listRunningOut,
  listSoldOut,
  listTroubledSuppliers,
  type Missing,
  type RunningOut,
  type SoldOut,
  type TroubledSupplier,
  type Waiting,
} from "./needs-queries.ts";

export type OperatorNeeds = {
  unknown: Waiting;
  held: Waiting;
  suppliers: readonly TroubledSupplier[];
  soldOut: readonly SoldOut[];
  /** Stock that lasts less than three days at this week's rate. */
  runningOut: readonly RunningOut[];
  endpoints: readonly (FailingEndpoint & Pick<EndpointHealth, "recent">)[];
  /** What is not there yet, and without which nothing is sold. */
  missing: readonly Missing[];
};

/** A purchase that is answered later than this needs a look; most are answered within seconds. */
const UNKNOWN_AFTER_MS = 5 * 60_000;
/** Stock that lasts fewer days is worth an order. */
export const STOCK_DAYS = 3;
/** The days whose sales tell the rate. */
export const RATE_DAYS = 7;
const DAY_MS = 86_400_000;
const NOBODY: Waiting = { count: 0, oldestAt: null };

/** What needs a person of the operator's staff now. Suppliers and stock are live alone. */
export async function findNeeds(
  db: Queryable,
  environment: Tenant["environment"],
  now: Date,
): Promise<OperatorNeeds> {
  const isLive = environment === "live";
  const since = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS - (RATE_DAYS - 1) * DAY_MS);
  const [unknown, held, suppliers, soldOut, runningOut, endpoints, missing] = await Promise.all([
    isLive ? countUnknown(db, new Date(now.getTime() - UNKNOWN_AFTER_MS)) : NOBODY,
    countHeld(db, environment),
    isLive ? listTroubledSuppliers(db, now) : [],
    isLive ? listSoldOut(db) : [],
    isLive ? listRunningOut(db, since, { days: STOCK_DAYS, rateDays: RATE_DAYS }) : [],
    findFailing(db, environment, now),
    listMissing(db),
  ]);
  return { unknown, held, suppliers, soldOut, runningOut, endpoints, missing };
}

/** An endpoint that has only begun to fail needs nobody. */
async function findFailing(
  db: Queryable,
  environment: Tenant["environment"],
  now: Date,
): Promise<OperatorNeeds["endpoints"]> {
  const rows = await listFailingEndpoints(db, environment);
  const health = rows.length === 0 ? new Map<string, EndpointHealth>() : await readHealth(db, rows, now);
  return rows.flatMap((row) => {
    const { state, recent } = health.get(row.id) as EndpointHealth;
    return state === "retrying" ? [] : [{ ...row, recent }];
  });
}
