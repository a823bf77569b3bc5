import { summariseTenant } from "../../reports/summarise-tenant.ts";
import { getReseller } from "../../resellers/get-reseller.ts";
import { findAlert } from "../../wallet/alerts/alert-queries.ts";
import { getWallet } from "../../wallet/get-wallet.ts";
import { exportStatement, listStatement } from "../../wallet/list-statement.ts";
import type { EntryFilters, EntryRow } from "../../wallet/queries.ts";
import { RATE_DAYS, runwayOf } from "../../wallet/runway.ts";
import { createSumDays, daysBefore, type SumDays, type WalletDay } from "../../wallet/sum-days.ts";
import { csvFile } from "../../web/table/csv-file.ts";
import { type DashboardContext, type DashboardDeps, type DashboardFace, tenantOf } from "../session.ts";
import { alertPages } from "./alert-pages.ts";
import { monthFilters, readMonth, toFilters, typedFilters } from "./read-filters.ts";
import { renderStatement, type StatementData } from "./render-statement.ts";
import { CSV_HEADS, csvCells, renderWallet, WALLET, type WalletData } from "./render-wallet.ts";

const ENTRIES_PER_PAGE = 50;
/** A statement with more entries lists its days; the CSV has the entries. */
const ENTRIES_PRINTED_MAX = 500;

/** The wallet: balance, statement, a month on paper, and the same as files. */
export function walletPages(face: DashboardFace, deps: DashboardDeps): void {
  const sumDays = createSumDays(deps.db);
  alertPages(face, deps);
  face.page({
    path: WALLET,
    permission: "wallet.read",
    load: (ctx) => loadWallet(deps, ctx),
    render: renderWallet,
  });
  face.page({
    path: `${WALLET}/statement`,
    permission: "wallet.read",
    load: (ctx) => loadStatement(deps, sumDays, ctx),
    render: renderStatement,
  });
  face.download({
    path: `${WALLET}/entries.csv`,
    permission: "wallet.export",
    load: async (ctx) => csvOf(deps, ctx, "wallet", toFilters(typedFilters(ctx))),
  });
  face.download({
    path: `${WALLET}/statement.csv`,
    permission: "wallet.export",
    async load(ctx) {
      const month = readMonth(ctx.query.month, ctx.now);
      return csvOf(deps, ctx, `statement-${month.text}`, monthFilters(month));
    },
  });
}

async function loadWallet(deps: DashboardDeps, ctx: DashboardContext): Promise<WalletData> {
  const tenant = tenantOf(ctx);
  const typed = typedFilters(ctx);
  const [wallet, belowMinor, { days }, page] = await Promise.all([
    getWallet(deps.db, tenant),
    findAlert(deps.db, tenant),
    summariseTenant(deps.db, tenant, daysBefore(ctx.now, RATE_DAYS - 1), RATE_DAYS),
    listStatement(deps, tenant, {
      filters: toFilters(typed),
      cursor: ctx.query.cursor,
      limit: ENTRIES_PER_PAGE,
    }),
  ]);
  const orders = days.reduce((sum, day) => sum + day.orders, 0);
  return { ...wallet, belowMinor, typed, page, orders, runway: runwayOf(wallet.balanceMinor, days, ctx.now) };
}

async function loadStatement(
  deps: DashboardDeps,
  sumDays: SumDays,
  ctx: DashboardContext,
): Promise<StatementData> {
  const tenant = tenantOf(ctx);
  const month = readMonth(ctx.query.month, ctx.now);
  const [reseller, { currency }, days] = await Promise.all([
    getReseller(deps.db, tenant.resellerId),
    getWallet(deps.db, tenant),
    sumDays(tenant, month.first, month.days),
  ]);
  const entries = await printedEntries(deps, ctx, month);
  return { month, reseller: reseller.name, currency, days: untilToday(days, ctx.now), entries };
}

async function printedEntries(
  deps: DashboardDeps,
  ctx: DashboardContext,
  month: StatementData["month"],
): Promise<EntryRow[] | undefined> {
  const page = { filters: monthFilters(month), cursor: undefined, limit: ENTRIES_PRINTED_MAX };
  const { data, nextCursor } = await listStatement(deps, tenantOf(ctx), page);
  return nextCursor === "" ? data.toReversed() : undefined;
}

const untilToday = (days: readonly WalletDay[], now: Date): WalletDay[] =>
  days.filter(({ day }, index) => index === 0 || day <= now);

async function csvOf(deps: DashboardDeps, ctx: DashboardContext, name: string, filters: EntryFilters) {
  const tenant = tenantOf(ctx);
  return csvFile(
    `${name}-${tenant.environment}.csv`,
    CSV_HEADS,
    cellsOf(exportStatement(deps.db, tenant, filters)),
  );
}

async function* cellsOf(rows: AsyncIterable<EntryRow>): AsyncGenerator<string[]> {
  for await (const row of rows) yield csvCells(row);
}
