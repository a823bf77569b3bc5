import assert from "node:assert/strict";
import sql from "sql-template-tag";
import { setListing } from "../../src/catalog/prices/set-listing.ts";
import { requestDeposit } from "../../src/deposits/request-deposit.ts";
import { addListPrice, addProducts } from "../builders/builders.ts";
import { addBuyer } from "../builders/buyers.ts";
import { createTestFulfiller } from "../builders/fulfilment.ts";
import { addLoggedRequest } from "../builders/logged-requests.ts";
import { openShop, type Shop } from "../builders/shop.ts";
import { addDelivery, addEndpoint } from "../builders/webhook-builders.ts";
import type { ObjectKind } from "./api-routes.ts";
import type { Tenants } from "./authorization-callers.ts";

/** A shop with one of everything the owner has, and one of everything that exists but is not visible. */
export type AuthorizationShop = {
  shop: Shop;
  tenants: Tenants;
  /** A new object of the owner. */
  make(kind: ObjectKind): Promise<string>;
  /** Ids under which no caller must find an object of this kind. */
  unseen: Readonly<Record<ObjectKind, readonly string[]>>;
  /** What only the owner can be told: ids and codes. */
  ownWords(): Promise<string[]>;
  /** Removes the endpoints that were created, because their number is limited. */
  tidy(): Promise<void>;
};

const UNSEEN_PRODUCTS = ["hidden", "inactive", "unlisted"];

export async function openAuthorizationShop(): Promise<AuthorizationShop> {
  const shop = await openShop();
  const { scrip, buyer: owner } = shop;
  const { db } = scrip;
  const stranger = await addBuyer(scrip);
  const productId = await shop.addStocked(50);
  await addUnseenProducts(shop, [owner.resellerId, stranger.resellerId]);
  // Created before the order ends, so that its event has a delivery.
  const endpointId = await addEndpoint(db, owner);
  const orderId = await shop.order([productId, 2]);
  await createTestFulfiller(scrip).drain();
  const [delivery] = await db.rows<{ id: string; eventId: string }>(
    sql`select id, event_id as "eventId" from deliveries where endpoint_id = ${endpointId}`,
  );
  assert.ok(delivery, "the completed order was delivered to its endpoint");
  const removedId = await addEndpoint(db, { ...owner, deleted: true });
  const removedDelivery = await addDelivery(db, { eventId: delivery.eventId, endpointId: removedId });
  const requestId = await addLoggedRequest(db, owner);
  const by = { actor: { kind: "system", id: "test" } } as const;
  const { deposit } = await requestDeposit(scrip, owner, { amountMinor: 100n }, by);
  const codes = (await shop.codesOf(orderId)).json().data as { id: string; code: string }[];

  return {
    shop,
    tenants: { owner, stranger },
    async make(kind) {
      if (kind === "webhook") return addEndpoint(db, owner);
      const { eventId: event, id } = delivery;
      return {
        product: productId,
        order: orderId,
        event,
        delivery: id,
        request: requestId,
        deposit: deposit.id,
      }[kind];
    },
    unseen: {
      product: [...missing("prd"), ...UNSEEN_PRODUCTS],
      order: missing("ord"),
      webhook: [...missing("whk"), removedId],
      event: missing("evt"),
      delivery: [...missing("dlv"), removedDelivery],
      request: missing("req"),
      deposit: missing("dep"),
    },
    async ownWords() {
      const endpoints = await db.rows<{ id: string }>(
        sql`select id from webhook_endpoints where reseller_id = ${owner.resellerId} and environment = 'live'`,
      );
      const ids = [
        orderId,
        delivery.id,
        delivery.eventId,
        requestId,
        deposit.id,
        deposit.reference,
        ...endpoints.map(({ id }) => id),
      ];
      return [...ids, ...codes.flatMap(({ id, code }) => [id, code])];
    },
    async tidy() {
      await db.rows(sql`
        update webhook_endpoints set deleted_at = now(), active = false where deleted_at is null and id <> ${endpointId}`);
    },
  };
}

const missing = (prefix: string): string[] => [
  "no-such-object",
  `${prefix}_${"0".repeat(26)}`,
  "x".repeat(2_000),
];

async function addUnseenProducts({ scrip: { db } }: Shop, resellerIds: readonly string[]): Promise<void> {
  await addProducts(db, [
    { id: "hidden", hidden: true },
    { id: "inactive", active: false },
    { id: "unlisted" },
  ]);
  for (const productId of UNSEEN_PRODUCTS) await addListPrice(db, { productId, amountMinor: 100n });
  for (const resellerId of resellerIds)
    await setListing(db, { resellerId, productId: "unlisted", listed: false });
}
