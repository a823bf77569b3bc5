import { listPeople, type Person } from "../../accounts/people/list-people.ts";
import { namePeople } from "../../accounts/people/name-people.ts";
import { type ActivityEntry, listActivity } from "../../activity/list-activity.ts";
import { listKeys } from "../../keys/list-keys.ts";
import type { KeyRow } from "../../keys/queries.ts";
import { notFound } from "../../lib/problem.ts";
import { warnAboutReseller } from "../../pricing/warn-about-reseller.ts";
import { type CurrencyMargin, sumMargin } from "../../reports/sum-margin.ts";
import { type ResellerSales, sumResellers } from "../../reports/sum-resellers.ts";
import { findReseller, type ResellerRow } from "../../resellers/queries.ts";
import { getWallet } from "../../wallet/get-wallet.ts";
import { listStatement } from "../../wallet/list-statement.ts";
import type { EntryRow } from "../../wallet/queries.ts";
import { environmentOf } from "../../web/pages/here.ts";
import { type EndpointRow, listEndpointRows } from "../../webhooks/endpoints/endpoint-queries.ts";
import { ENDPOINTS_MAX } from "../../webhooks/endpoints/register-endpoint.ts";
import { type EndpointHealth, readHealth } from "../../webhooks/health/read-health.ts";
import type { ConsoleContext, ConsoleDeps } from "../session.ts";

export type ResellerData = {
  reseller: ResellerRow;
  balances: { live: bigint; test: bigint };
  sales: ResellerSales | undefined;
  /** Of the last 30 days. */
  margins: readonly CurrencyMargin[];
  entries: readonly EntryRow[];
  keys: readonly KeyRow[];
  endpoints: readonly { row: EndpointRow; health: EndpointHealth | undefined }[];
  people: readonly Person[];
  activity: readonly ActivityEntry[];
  /** Of the staff and its own people, by their ids. */
  emails: ReadonlyMap<string, string>;
  /** Why it sees an empty shop, if it does. */
  warnings: readonly string[];
};

const ENTRIES_SHOWN = 10;
const ACTIVITY_SHOWN = 10;

export async function getListed(deps: Pick<ConsoleDeps, "db">, ctx: ConsoleContext): Promise<ResellerRow> {
  const id = ctx.params.id ?? "";
  const reseller = id.includes("\0") ? undefined : await findReseller(deps.db, id);
  if (!reseller) throw notFound();
  return reseller;
}

const SALES_DAYS = 30;

export const salesOf30Days = ({ db }: ConsoleDeps, ctx: ConsoleContext, ids: readonly string[]) =>
  sumResellers(db, environmentOf(ctx), ids, { now: ctx.now, days: SALES_DAYS });

export const marginOf30Days = (
  { db }: Pick<ConsoleDeps, "db">,
  ctx: ConsoleContext,
  member: Parameters<typeof sumMargin>[2],
) => sumMargin(db, environmentOf(ctx), member, { now: ctx.now, days: SALES_DAYS });

/** Everything that the page of a reseller shows, in the environment of the address. */
export async function loadReseller(deps: ConsoleDeps, ctx: ConsoleContext): Promise<ResellerData> {
  const reseller = await getListed(deps, ctx);
  const { id: resellerId } = reseller;
  const tenant = { resellerId, environment: environmentOf(ctx) };
  const balanceIn = async (environment: "live" | "test") =>
    (await getWallet(deps.db, { resellerId, environment })).balanceMinor;
  const [live, test, sales, margins, entries, keys, rows, people, activity] = await Promise.all([
    balanceIn("live"),
    balanceIn("test"),
    salesOf30Days(deps, ctx, [resellerId]),
    marginOf30Days(deps, ctx, { of: "reseller", id: resellerId }),
    listStatement(deps, tenant, {
      ...{ filters: {}, cursor: undefined, limit: ENTRIES_SHOWN },
      isForOperator: true,
    }),
    listKeys(deps.db, tenant),
    listEndpointRows(deps.db, tenant, { beforeId: undefined, limit: ENDPOINTS_MAX }),
    listPeople(deps.db, { kind: "user", resellerId }),
    listActivity(deps.db, { kind: "staff" }, { resellerId }, { limit: ACTIVITY_SHOWN }),
  ]);
  const [health, staff] = await Promise.all([
    readHealth(deps.db, rows, ctx.now),
    namePeople(
      deps.db,
      { kind: "staff" },
      activity.data.map(({ actor }) => actor.id ?? ""),
    ),
  ]);
  return {
    reseller,
    balances: { live, test },
    sales: sales.get(resellerId),
    margins,
    entries: entries.data,
    keys,
    endpoints: rows.map((row) => ({ row, health: health.get(row.id) })),
    people,
    activity: activity.data,
    warnings: await warnAboutReseller({ ...deps, settings: deps.pricing }, resellerId),
    emails: new Map([...people.map(({ id, email }) => [id, email] as const), ...staff]),
  };
}
