import sql from "sql-template-tag";
import type { Tenant } from "../server/src/http/caller.ts";
import { createKey } from "../server/src/keys/create-key.ts";
import { systemClock } from "../server/src/lib/clock.ts";
import { createReseller } from "../server/src/resellers/create-reseller.ts";
import { encodeGoods, identityOf } from "../server/src/suppliers/goods.ts";
import { refreshSupply } from "../server/src/suppliers/refresh-supply.ts";
import { sealSupplierConfig } from "../server/src/suppliers/supplier-config.ts";
import { createCodeDigest } from "../server/src/vault/code-digest.ts";
import { stockPlace } from "../server/src/vault/code-place.ts";
import { moveFunds } from "../server/src/wallet/move-funds.ts";
import { addListPrice, addProducts } from "../server/testing/builders/builders.ts";
import { newId } from "../server/testing/builders/new-id.ts";
import { addRouteRow, addSupplierRow } from "../server/testing/builders/supply-builders.ts";
import { SUPPLIER_KINDS } from "../server/testing/upstream/supplier-fakes.ts";
import { call } from "./call.ts";
import type { Recorder } from "./recorder.ts";
import type { World } from "./world.ts";

/** A reseller in one environment, with its current key and its webhook endpoint. */
export type Account = Tenant & { name: string; keyId: string; key: string; endpointId: string };

export const STOCKED = "stocked";
/** A top-up that other Scrips sell, and a card of each other kind of supplier, which sells it before the others. */
export const BOUGHT = "bought";
export const CARDS = SUPPLIER_KINDS.map((kind) => `${kind}-card`);
export const PRICE_MINOR = 200;
/** The prefix of payment notes, and the pattern of codes in stock. */
export const PAYMENT_NOTE = "payment";
export const STOCK_CODE = /^STOCK-\d+$/;
const RESELLERS = 3;
const FUNDS = "1000000.00";
const STOCK_AT_ONCE = 2_000;

/** Products with stock and suppliers, resellers with money, keys and webhooks. */
export async function fillWorld(world: World, recorder: Recorder, stock: number): Promise<Account[]> {
  const inputFields = [{ key: "account", type: "text" as const, required: true, regex: "", options: [] }];
  const cards = CARDS.map((id) => ({ id }));
  await addProducts(world.db, [{ id: STOCKED }, { id: BOUGHT, inputFields }, ...cards]);
  for (const productId of [STOCKED, BOUGHT, ...CARDS])
    await addListPrice(world.db, { productId, amountMinor: BigInt(PRICE_MINOR) });
  await addSuppliers(world);
  await addStock(world, stock);
  const accounts: Account[] = [];
  for (let number = 0; number < RESELLERS; number += 1) {
    const about = { name: `Reseller ${number}`, currency: "USD", email: "owner@reseller.example" };
    const { id: resellerId } = await createReseller(world.db, systemClock, about);
    for (const environment of ["live", "test"] as const)
      accounts.push(await openAccount(world, recorder, { resellerId, environment }, number));
    const input = { direction: "credit", amount: FUNDS, note: "opening" } as const;
    await moveFunds(world.db, systemClock, { resellerId, environment: "live" }, input);
  }
  return accounts;
}

export const newKey = (world: World, tenant: Tenant) =>
  createKey(
    { db: world.db, clock: systemClock, pepper: world.secrets.pepper },
    { ...tenant, name: "", scopes: undefined, allowedIps: [], expiresAt: undefined },
  );

async function openAccount(
  world: World,
  recorder: Recorder,
  tenant: Tenant,
  number: number,
): Promise<Account> {
  const name = `${tenant.environment}-${number}`;
  const { id: keyId, key } = await newKey(world, tenant);
  const url = world.receivers.url(name);
  const reply = await call(world.apis[0]?.port ?? 0, key, "POST", "/v1/webhooks", { url });
  if (reply.status >= 300) throw new Error(`registering a webhook failed: ${reply.body}`);
  const { webhook, secret } = JSON.parse(reply.body) as { webhook: { id: string }; secret: string };
  recorder.secrets.set(name, [secret]);
  return { ...tenant, name, keyId, key, endpointId: webhook.id };
}

async function addSuppliers({ db, keyring, upstreams }: World): Promise<void> {
  for (const upstream of upstreams) {
    const supplierId = await addSupplierRow(db, { kind: upstream.kind });
    upstream.supplierId = supplierId;
    const config = sealSupplierConfig(keyring, supplierId, upstream.config);
    await db.rows(
      sql`update suppliers set sealed_config = ${config}, rate_per_second = 10000 where id = ${supplierId}`,
    );
  }
  const scrips = upstreams.filter(({ route }) => route === undefined);
  for (const [priority, { supplierId }] of scrips.entries())
    await addRouteRow(db, { productId: BOUGHT, supplierId, priority });
  const others = upstreams.filter(({ route }) => route !== undefined);
  for (const [number, { supplierId, route }] of others.entries())
    for (const [first, productId] of CARDS.entries())
      await db.rows(sql`
        insert into supplier_routes (product_id, supplier_id, priority, cost_minor, max_cost_minor, cost_currency, sku, buy_value)
        values (${productId}, ${supplierId}, ${(number - first + others.length) % others.length}, 80, 100, 'USD',
                ${route?.sku}, ${route?.value})`);
}

async function addStock({ db, codeVault, secrets }: World, count: number): Promise<void> {
  const supplierId = await addSupplierRow(db);
  await addRouteRow(db, { productId: STOCKED, supplierId });
  const digest = createCodeDigest(secrets.codeDigestKey);
  for (let made = 0; made < count; made += STOCK_AT_ONCE) {
    const rows = Array.from({ length: Math.min(STOCK_AT_ONCE, count - made) }, (_, index) => {
      const goods = { type: "code", code: `STOCK-${made + index}` } as const;
      const id = newId("cod");
      const sealed = codeVault.seal(stockPlace(id, STOCKED), encodeGoods(goods));
      return { id, sealed, digest: digest(identityOf(goods) ?? "") };
    });
    await db.rows(sql`
      insert into codes (id, environment, product_id, supplier_id, state, type, sealed, digest)
      select id, 'live', ${STOCKED}, ${supplierId}, 'stock', 'code', sealed, digest
      from unnest(
        ${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.sealed)}::bytea[],
        ${rows.map((row) => row.digest)}::bytea[]
      ) as one (id, sealed, digest)`);
  }
  await refreshSupply(db, undefined);
}
