import { createHash } from "node:crypto";
import type { LightMyRequestResponse } from "fastify";
import sql from "sql-template-tag";
import type { Queryable } from "../../src/db/database.ts";
import { SCOPES, type Tenant } from "../../src/http/caller.ts";
import { createKey } from "../../src/keys/create-key.ts";
import type { Placement } from "../../src/orders/placing/decide-placements.ts";
import { createReseller } from "../../src/resellers/create-reseller.ts";
import { ORDINARY_FATE } from "../../src/sandbox/order-fate.ts";
import { moveFunds } from "../../src/wallet/move-funds.ts";
import type { TestApp } from "../app/test-app.ts";
import { addListPrice, addProducts } from "./builders.ts";
import { newId } from "./new-id.ts";

/** A reseller with a live key. */
export type Buyer = Tenant & { keyId: string; key: string };

/** The product of every order in these tests, one unit by default. */
export const CARD = "card";
export const CARD_PRICE_MINOR = 250;

export async function addCard(db: Queryable): Promise<void> {
  await addProducts(db, [{ id: CARD }]);
  await addListPrice(db, { productId: CARD, amountMinor: BigInt(CARD_PRICE_MINOR) });
}

/** A buyer whose live wallet has this balance. */
export async function addBuyer(
  { db, clock, secrets }: Pick<TestApp, "db" | "clock" | "secrets">,
  amount = "1000.00",
): Promise<Buyer> {
  const about = { name: "Buyer", currency: "USD", email: "owner@buyer.example" };
  const { id: resellerId } = await createReseller(db, clock, about);
  const tenant = { resellerId, environment: "live" } as const;
  const { id: keyId, key } = await createKey(
    { db, clock, pepper: secrets.pepper },
    { ...tenant, name: "", scopes: SCOPES, allowedIps: [], expiresAt: undefined },
  );
  await moveFunds(db, clock, tenant, { direction: "credit", amount, note: "" });
  return { ...tenant, keyId, key };
}

/** Orders one card, or what the body says. */
export const postOrder = (
  scrip: TestApp,
  buyer: Buyer,
  idempotencyKey: string,
  body: object = { lines: [{ productId: CARD, quantity: 1 }] },
): Promise<LightMyRequestResponse> =>
  scrip.call("POST", "/v1/orders", {
    key: buyer.key,
    headers: { "content-type": "application/json", "idempotency-key": idempotencyKey },
    body: JSON.stringify(body),
  });

/** Placements as they reach the batch, priced at the current catalog. */
export async function createPlacementMaker(
  db: Queryable,
): Promise<(buyer: Buyer, idempotencyKey: string, quantity?: number, reference?: string) => Placement> {
  const rows = await db.rows<{ id: string; revision: string }>(sql`
    select r.id, c.revision || '.' || r.catalog_revision as revision from resellers r cross join catalog_state c`);
  const revisions = new Map(rows.map((row) => [row.id, row.revision]));
  return ({ resellerId, environment, keyId }, idempotencyKey, quantity = 1, reference) => {
    const totalMinor = BigInt(CARD_PRICE_MINOR * quantity);
    const line = { productId: CARD, name: "Card", unitPriceMinor: BigInt(CARD_PRICE_MINOR), quantity };
    return {
      orderId: newId("ord"),
      resellerId,
      environment,
      actor: { kind: "key", id: keyId },
      idempotencyKey,
      fingerprint: createHash("sha256").update(`${quantity} ${reference}`).digest(),
      reference: reference ?? null,
      fate: ORDINARY_FATE,
      catalogRevision: revisions.get(resellerId) ?? "",
      priced: {
        lines: [{ ...line, lineTotalMinor: totalMinor, inputFields: null, basis: null }],
        totalMinor,
        currency: "USD",
      },
      createdAt: new Date(),
    };
  };
}

export type StoredOrder = { id: string; idempotencyKey: string; totalMinor: bigint; transaction: string };

/** A buyer's orders by id. Those of one batch were written by one transaction. */
export const ordersOf = (db: Queryable, buyer: Tenant): Promise<StoredOrder[]> =>
  db.rows<StoredOrder>(sql`
    select id, idempotency_key as "idempotencyKey", total_minor as "totalMinor", xmin::text as transaction
    from orders where reseller_id = ${buyer.resellerId} and environment = ${buyer.environment} order by id`);

export async function balanceOf(db: Queryable, buyer: Tenant): Promise<number> {
  const [wallet] = await db.rows<{ balanceMinor: bigint }>(sql`
    select balance_minor as "balanceMinor" from wallets
    where reseller_id = ${buyer.resellerId} and environment = ${buyer.environment}`);
  return Number(wallet?.balanceMinor);
}
