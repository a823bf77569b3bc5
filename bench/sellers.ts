import sql from "sql-template-tag";
import type { Db } from "../server/src/db/database.ts";
import { migrate } from "../server/src/db/migrate.ts";
import { createKey } from "../server/src/keys/create-key.ts";
import { loadServerSecrets } from "../server/src/keys/server-secrets.ts";
import { type Clock, systemClock } from "../server/src/lib/clock.ts";
import { createReseller } from "../server/src/resellers/create-reseller.ts";
import { openKeyring } from "../server/src/vault/keyring.ts";
import { moveFunds } from "../server/src/wallet/move-funds.ts";

export type Seller = { id: string; key: string };

/** How many resellers place orders beside the one that is measured alone. */
export const WALLETS = 64;

/** A hundred priced products, and resellers with money and a live key, from the time of the clock on. */
export async function fillSellers(db: Db, dataDir: string, clock: Clock = systemClock): Promise<Seller[]> {
  await migrate(db);
  const secrets = await loadServerSecrets(db, (await openKeyring([], dataDir)).masterKeys());
  await db.rows(sql`
    insert into products (id, name, face_value_amount, face_value_currency, face_value_unit, face_value_is_money)
    select 'card-' || n, 'Card ' || n, '25.00', 'USD', 'USD', true from generate_series(0, 99) n`);
  await db.rows(sql`
    insert into list_prices (product_id, price_list, currency, amount_minor) select id, 'standard', 'USD', 2375 from products`);
  await db.rows(sql`insert into product_supply (product_id, state) select id, 'available' from products`);
  const sellers: Seller[] = [];
  for (let index = 0; index <= WALLETS; index += 1) {
    const reseller = await createReseller(db, clock, {
      name: `Seller ${index}`,
      currency: "USD",
      email: "owner@seller.example",
    });
    const tenant = { resellerId: reseller.id, environment: "live" as const };
    await moveFunds(db, clock, tenant, {
      direction: "credit",
      amount: "10000000000.00",
      note: "bench",
    });
    const input = { ...tenant, name: "", scopes: undefined, allowedIps: [], expiresAt: undefined };
    sellers.push({
      id: reseller.id,
      key: (await createKey({ db, clock, pepper: secrets.pepper }, input)).key,
    });
  }
  return sellers;
}
