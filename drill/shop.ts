import { setTimeout as wait } from "node:timers/promises";
import sql from "sql-template-tag";
import { call } from "../chaos/call.ts";
import type { Db } from "../server/src/db/database.ts";
import { createKey } from "../server/src/keys/create-key.ts";
import { loadServerSecrets } from "../server/src/keys/server-secrets.ts";
import { systemClock } from "../server/src/lib/clock.ts";
import { secret } from "../server/src/lib/secret.ts";
import { createReseller } from "../server/src/resellers/create-reseller.ts";
import { createCodeVault } from "../server/src/vault/code-vault.ts";
import { fixedKeyring } from "../server/src/vault/keyring.ts";
import { moveFunds } from "../server/src/wallet/move-funds.ts";
import { TEST_MASTER_KEY } from "../server/testing/app/test-settings.ts";
import { addListPrice, addProducts } from "../server/testing/builders/builders.ts";
import { addStock } from "../server/testing/builders/fulfilment.ts";
import { addRouteRow, addSupplierRow } from "../server/testing/builders/supply-builders.ts";

const PRODUCT = "card";
const PRICE_MINOR = 200n;
const FUNDS = "1000000.00";
const RETRY_PAUSE_MS = 50;

/** An order that a caller was told of, and the codes that the caller has read. */
export type Told = { id: string; atMs: number; codes: string[] };

/** One reseller with money, one product with stock. Returns the reseller's key. */
export async function fillShop(db: Db, stock: number): Promise<string> {
  const masterKeys = [secret(TEST_MASTER_KEY)] as const;
  const secrets = await loadServerSecrets(db, masterKeys);
  const codeVault = createCodeVault(fixedKeyring(masterKeys));
  await addProducts(db, [{ id: PRODUCT }]);
  await addListPrice(db, { productId: PRODUCT, amountMinor: PRICE_MINOR });
  const supplierId = await addSupplierRow(db);
  await addRouteRow(db, { productId: PRODUCT, supplierId });
  const goods = Array.from(
    { length: stock },
    (_, number) => ({ type: "code", code: `STOCK-${number}` }) as const,
  );
  await addStock({ db, codeVault, secrets }, { productId: PRODUCT, supplierId, goods });
  const about = { name: "Reseller", currency: "USD", email: "owner@reseller.example" };
  const { id: resellerId } = await createReseller(db, systemClock, about);
  const tenant = { resellerId, environment: "live" } as const;
  await moveFunds(db, systemClock, tenant, { direction: "credit", amount: FUNDS, note: "opening" });
  const input = { ...tenant, name: "", scopes: undefined, allowedIps: [], expiresAt: undefined };
  return (await createKey({ db, clock: systemClock, pepper: secrets.pepper }, input)).key;
}

/** Callers that place orders and read their codes, until they are stopped, the stock is sold or the service is gone. */
export function startCallers(options: { port: number; key: string; callers: number; name: string }): {
  told: Told[];
  stop(): Promise<void>;
  /** Settles when the stock is sold. */
  soldOut: Promise<void>;
} {
  const told: Told[] = [];
  let isOpen = true;
  const caller = async (number: number) => {
    for (let count = 0; isOpen; count += 1) {
      const order = await place(options, `${options.name}-${number}-${count}`);
      if (order === "sold out") return;
      if (order) told.push(order);
      if (order) await readCodes(options, order, () => isOpen);
      else await wait(RETRY_PAUSE_MS);
    }
  };
  const all = Promise.all(Array.from({ length: options.callers }, (_, number) => caller(number)));
  return {
    told,
    async stop() {
      isOpen = false;
      await all;
    },
    soldOut: all.then(() => {}),
  };
}

type Shop = { port: number; key: string };

async function place({ port, key }: Shop, idempotencyKey: string): Promise<Told | "sold out" | undefined> {
  const body = { lines: [{ productId: PRODUCT, quantity: 1 }] };
  const headers = { "idempotency-key": idempotencyKey };
  const reply = await call(port, key, "POST", "/v1/orders", body, headers).catch(() => undefined);
  if (reply?.body.includes("out_of_stock")) return "sold out";
  if (reply?.status !== 202) return undefined;
  return { id: JSON.parse(reply.body).order.id, atMs: Date.now(), codes: [] };
}

async function readCodes({ port, key }: Shop, order: Told, isOpen: () => boolean): Promise<void> {
  while (isOpen()) {
    const reply = await call(port, key, "GET", `/v1/orders/${order.id}/codes`).catch(() => undefined);
    if (reply?.status === 200) {
      const { data } = JSON.parse(reply.body) as { data: { code: string }[] };
      order.codes = data.map(({ code }) => code);
      return;
    }
    // The stock was sold meanwhile.
    if (/"orderStatus":"(failed|refunded)"/.test(reply?.body ?? "")) return;
    await wait(RETRY_PAUSE_MS);
  }
}

/** The codes of an order, or none while it has none. */
export async function readAgain(shop: Shop, orderId: string): Promise<string[]> {
  const order: Told = { id: orderId, atMs: 0, codes: [] };
  const deadlineMs = performance.now() + READ_WITHIN_MS;
  await readCodes(shop, order, () => performance.now() < deadlineMs);
  return order.codes;
}
const READ_WITHIN_MS = 30_000;

export const listOrderIds = async (db: Db): Promise<Set<string>> => {
  const rows = await db.rows<{ id: string }>(sql`select id from orders`);
  return new Set(rows.map(({ id }) => id));
};
