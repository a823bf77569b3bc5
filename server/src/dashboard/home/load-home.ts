import { keyState, listKeys } from "../../keys/list-keys.ts";
import type { KeyRow } from "../../keys/queries.ts";
import type { OrderRow } from "../../orders/queries.ts";
import { findOldestOpen, listFailedOrders } from "../../orders/troubled-orders.ts";
import { summariseTenant, type TenantSummary } from "../../reports/summarise-tenant.ts";
import { getReseller } from "../../resellers/get-reseller.ts";
import { getWallet } from "../../wallet/get-wallet.ts";
import { RATE_DAYS, type Runway, runwayOf } from "../../wallet/runway.ts";
import { daysBefore } from "../../wallet/sum-days.ts";
import { listTroubledEndpoints, type TroubledEndpoint } from "../../webhooks/health/list-troubled.ts";
import { type DashboardContext, type DashboardDeps, tenantOf } from "../session.ts";

export const DAYS_OFFERED = [14, 30, 90] as const;
const FAILED_SHOWN = 5;

export type HomeData = {
  frozenAt: Date | null;
  balanceMinor: bigint;
  currency: string;
  runway: Runway;
  /** How many days the page is about. */
  span: number;
  /** Those days; the last is today. */
  summary: TenantSummary;
  /** When the order was placed that has been waiting for longest. */
  oldestOpenAt: Date | null;
  failed: readonly OrderRow[];
  endpoints: readonly TroubledEndpoint[];
  /** Keys that end soon and have not been replaced. */
  endingKeys: readonly KeyRow[];
  hasKeys: boolean;
};

/** All that the home page shows. Each read is bounded: none of them costs more with more orders. */
export async function loadHome({ db }: DashboardDeps, ctx: DashboardContext): Promise<HomeData> {
  const tenant = tenantOf(ctx);
  const span = DAYS_OFFERED.find((days) => String(days) === ctx.query.days) ?? DAYS_OFFERED[0];
  const since = daysBefore(ctx.now, span - 1);
  const [reseller, wallet, summary, oldestOpenAt, failed, endpoints, keys] = await Promise.all([
    getReseller(db, tenant.resellerId),
    getWallet(db, tenant),
    summariseTenant(db, tenant, since, span),
    findOldestOpen(db, tenant),
    listFailedOrders(db, tenant, FAILED_SHOWN),
    listTroubledEndpoints(db, tenant, ctx.now),
    listKeys(db, tenant),
  ]);
  return {
    ...{ ...wallet, span, summary, oldestOpenAt, failed, endpoints },
    frozenAt: reseller.frozenAt,
    runway: runwayOf(wallet.balanceMinor, summary.days.slice(-RATE_DAYS), ctx.now),
    endingKeys: keys.filter((key) => key.replacedById === null && keyState(key, ctx.now) === "ending"),
    hasKeys: keys.length > 0,
  };
}
