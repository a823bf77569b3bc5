import sql from "sql-template-tag";
import { lockCatalog } from "../../src/catalog/lock-catalog.ts";
import type { Db, Tx } from "../../src/db/database.ts";
import type { Random } from "../seed.ts";

export type StormWorld = { resellerIds: readonly string[]; productIds: readonly string[] };

const LISTS = ["standard", "gold"];
const CURRENCIES = ["USD", "EUR"];

type Gust = (tx: Tx, world: StormWorld, random: Random) => Promise<unknown>;

const product = ({ productIds }: StormWorld, random: Random): string => random.pick(productIds);
const amount = (random: Random): number => 100 + random.below(900);

/** Everything that changes what a reseller sees. */
const GUSTS: readonly Gust[] = [
  (tx, world, random) =>
    tx.rows(sql`
      update products set name = ${`Name ${random.below(1_000)}`}, brand = ${random.pick(["Nimbus", null])}, updated_at = now()
      where id = ${product(world, random)}`),
  (tx, world, random) =>
    tx.rows(sql`update products set hidden = ${random.chance(0.4)} where id = ${product(world, random)}`),
  (tx, world, random) =>
    tx.rows(sql`update products set active = ${random.chance(0.7)} where id = ${product(world, random)}`),
  // Many at once share one number.
  (tx, _world, random) =>
    tx.rows(sql`
      update products set bonus = ${String(random.below(100))}, updated_at = now()
      where hashtext(id) % 7 = ${random.below(7)}`),
  (tx, world, random) =>
    tx.rows(sql`
      insert into list_prices (product_id, price_list, currency, amount_minor)
      values (${product(world, random)}, ${random.pick(LISTS)}, ${random.pick(CURRENCIES)}, ${amount(random)})
      on conflict (product_id, price_list, currency) do update set amount_minor = excluded.amount_minor`),
  (tx, world, random) =>
    tx.rows(sql`
      delete from list_prices where product_id = ${product(world, random)} and price_list = ${random.pick(LISTS)}`),
  (tx, world, random) =>
    tx.rows(sql`
      insert into reseller_prices (reseller_id, product_id, amount_minor)
      values (${random.pick(world.resellerIds)}, ${product(world, random)}, ${amount(random)})
      on conflict (reseller_id, product_id) do update set amount_minor = excluded.amount_minor`),
  (tx, world, random) =>
    tx.rows(sql`
      delete from reseller_prices
      where reseller_id = ${random.pick(world.resellerIds)} and product_id = ${product(world, random)}`),
  (tx, world, random) =>
    tx.rows(sql`
      insert into withheld_prices (product_id, reseller_id, currency, amount_minor, reason, withheld_at)
      values (${product(world, random)}, ${random.pick(world.resellerIds)}, ${random.pick(CURRENCIES)}, 1, 'rate_stale', now())
      on conflict do nothing`),
  (tx, world, random) =>
    tx.rows(sql`
      delete from withheld_prices
      where reseller_id = ${random.pick(world.resellerIds)} and product_id = ${product(world, random)}`),
  (tx, world, random) =>
    tx.rows(sql`
      insert into unlisted_products (reseller_id, product_id)
      values (${random.pick(world.resellerIds)}, ${product(world, random)}) on conflict do nothing`),
  (tx, world, random) =>
    tx.rows(sql`
      delete from unlisted_products
      where reseller_id = ${random.pick(world.resellerIds)} and product_id = ${product(world, random)}`),
  (tx, world, random) =>
    tx.rows(sql`
      insert into product_supply (product_id, state)
      values (${product(world, random)}, ${random.pick(["empty", "available"])})
      on conflict (product_id) do update set state = excluded.state`),
  (tx, world, random) =>
    tx.rows(sql`delete from product_supply where product_id = ${product(world, random)}`),
  (tx, world, random) =>
    tx.rows(sql`
      insert into product_delivery_times (product_id, seconds) values (${product(world, random)}, ${1 + random.below(9)})
      on conflict (product_id) do update set seconds = excluded.seconds`),
  (tx, world, random) =>
    tx.rows(sql`
      update resellers set price_list = ${random.pick(LISTS)}, currency = ${random.pick(CURRENCIES)}
      where id = ${random.pick(world.resellerIds)}`),
];

/** Rolls the transaction back. */
class Calm extends Error {}

/** One to three changes in one transaction. Some are rolled back. */
export async function blow(db: Db, world: StormWorld, random: Random): Promise<number> {
  const count = random.chance(0.7) ? 1 : 2 + random.below(2);
  const isUndone = random.chance(0.05);
  try {
    await db.transaction(async (tx) => {
      await lockCatalog(tx);
      for (let index = 0; index < count; index += 1) await random.pick(GUSTS)(tx, world, random);
      if (isUndone) throw new Calm();
    });
  } catch (error) {
    if (!(error instanceof Calm)) throw error;
  }
  return count;
}
