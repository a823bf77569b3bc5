import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import { createRateTable } from "../fx/choose-rate.ts";
import { listCurrentRates } from "../fx/queries.ts";
import type { Clock } from "../lib/clock.ts";
import type { PricingConfig } from "../lib/settings/pricing-config.ts";

type Deps = { db: Queryable; clock: Clock; settings: PricingConfig["pricing"] };
export type Warned = { id: string; name: string; warnings: readonly string[] };

/** The list that a reseller gets where none is named. It is no slip of the pen. */
const STANDARD = "standard";
/** More of them are not named beside the list. */
const RESELLERS_MAX = 20;

/** Why this reseller sees an empty shop, if it does. Nothing is refused for it. */
export async function warnAboutReseller(deps: Deps, id: string): Promise<readonly string[]> {
  const [warned] = await listWarned(deps, id);
  return warned?.warnings ?? [];
}

/** Resellers that see an empty shop: a price list that nothing names, or a currency without a rate. */
export async function listWarned(deps: Deps, id: string | null = null): Promise<Warned[]> {
  const buyers = await deps.db.rows<{
    id: string;
    name: string;
    priceList: string;
    currency: string;
    isNamed: boolean;
  }>(sql`
    select r.id, r.name, r.price_list as "priceList", r.currency,
           exists (select from list_prices p where p.price_list = r.price_list)
             or exists (
               select from price_rules u where u.who = 'list' and u.who_id = r.price_list and u.removed_at is null
             ) as "isNamed"
    from resellers r
    where (${id}::text is null or r.id = ${id})
      and not exists (select from list_prices p where p.price_list = r.price_list and p.currency = r.currency)
      and not exists (select from reseller_prices o where o.reseller_id = r.id)
    order by r.id limit ${RESELLERS_MAX}`);
  if (buyers.length === 0) return [];
  const missingIn = await openMissingRates(deps);
  return buyers
    .map(({ id: resellerId, name, priceList, currency, isNamed }) => ({
      ...{ id: resellerId, name },
      warnings: [
        ...(isNamed || priceList === STANDARD
          ? []
          : [
              `No price and no rule names the price list "${priceList}". Check its name, or set prices for it.`,
            ]),
        ...missingIn(currency).map(
          (base) =>
            `There is no exchange rate ${base}/${currency}: what costs ${base} gets no price in ${currency}. Set the rate on the page Prices, or with: scrip fx set.`,
        ),
      ],
    }))
    .filter(({ warnings }) => warnings.length > 0);
}

/** The currencies of costs, or without any cost those of face values, that cannot be converted. */
async function openMissingRates({ db, clock, settings }: Deps): Promise<(currency: string) => string[]> {
  const costs = await db.rows<{ base: string }>(sql`
    select distinct cost_currency as base from supplier_routes where cost_currency is not null order by 1`);
  const faces = sql`
    select distinct face_value_currency as base from products where face_value_is_money order by 1`;
  const bases = costs.length > 0 ? costs : await db.rows<{ base: string }>(faces);
  const rates = createRateTable(await listCurrentRates(db), clock.now(), settings.rateMaxAgeMs);
  return (currency) => bases.map(({ base }) => base).filter((base) => rates(base, currency).kind !== "rate");
}
