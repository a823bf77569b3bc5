import { keyState, listKeys } from "../../keys/list-keys.ts";
import type { KeyRow } from "../../keys/queries.ts";
import type { OrderRow } from "../../orders/queries.ts";
import { listFailedOrders, type OrderSummary, summariseOrders } from "../../orders/summarise-orders.ts";
import { getReseller } from "../../resellers/get-reseller.ts";
import { getWallet } from "../../wallet/get-wallet.ts";
import { RATE_DAYS, type Runway, runwayOf } from "../../wallet/runway.ts";
import { daysBefore, type SumDays, type WalletDay } from "../../wallet/sum-days.ts";
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
  /** Those days, oldest first; the last is today. */
  days: readonly WalletDay[];
  summary: OrderSummary;
  failed: readonly OrderRow[];
  endpoints: readonly TroubledEndpoint[];
  /** Keys that end soon and have not been replaced. */
  endingKeys: readonly KeyRow[];
  hasKeys: boolean;
};

/** All that the home page shows. Each read is bounded: none of them costs more with more orders. */
export async function loadHome(
  { db }: DashboardDeps,
  sumDays: SumDays,
  ctx: DashboardContext,
): Promise<HomeData> {
  const tenant = tenantOf(ctx);
  const span = DAYS_OFFERED.find((days) => String(days) === ctx.query.days) ?? DAYS_OFFERED[0];
  const since = daysBefore(ctx.now, span - 1);
  const [reseller, wallet, days, summary, failed, endpoints, keys] = await Promise.all([
    getReseller(db, tenant.resellerId),
    getWallet(db, tenant),
    sumDays(tenant, since, span),
    summariseOrders(db, tenant, since),
    listFailedOrders(db, tenant, FAILED_SHOWN),
    listTroubledEndpoints(db, tenant),
    listKeys(db, tenant),
  ]);
  return {
    ...{ ...wallet, span, days, summary, failed, endpoints },
    frozenAt: reseller.frozenAt,
    runway: runwayOf(wallet.balanceMinor, days.slice(-RATE_DAYS), ctx.now),
    endingKeys: keys.filter((key) => key.replacedById === null && keyState(key, ctx.now) === "ending"),
    hasKeys: keys.length > 0,
  };
}
