import sql from "sql-template-tag";
import type { Db, Tx } from "../../src/db/database.ts";
import type { Tenant } from "../../src/http/caller.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { moveFunds } from "../../src/wallet/move-funds.ts";
import { openMissingWallets } from "../../src/wallet/open-wallets.ts";
import { addOrderInState, addSuppliers, type OrderSeed, SECOND_SUPPLIER } from "./fulfilment-rows.ts";

/** An order in every state that fulfilment can leave it in. Its id names the state. */
export const HEALTHY_LIVE_ORDERS: readonly OrderSeed[] = [
  { id: "ord_pending", status: "pending", lines: [["waiting", "waiting"], ["waiting"]] },
  { id: "ord_begun", status: "processing", lines: [["asked", "waiting"], ["waiting"]] },
  {
    id: "ord_underway",
    status: "processing",
    lines: [
      ["delivered", "asked"],
      ["refused", "duplicate", "written off", "written off, came late"],
    ],
  },
  { id: "ord_underway_held", status: "processing", lines: [["asked", "refused"]], refundHeld: true },
  {
    id: "ord_held",
    status: "processing",
    lines: [["delivered", "refused"], ["written off"]],
    refundHeld: true,
    work: "never",
  },
  { id: "ord_released", status: "processing", lines: [["delivered", "refused"]] },
  { id: "ord_given_up", status: "processing", lines: [["refused"], ["written off"]] },
  { id: "ord_completed", status: "completed", lines: [["delivered", "delivered"], ["delivered"]] },
  {
    id: "ord_partly",
    status: "completed",
    lines: [
      ["delivered", "refused"],
      ["unroutable", "duplicate", "written off", "written off, refused", "written off, came late"],
    ],
  },
  { id: "ord_taken_half", status: "completed", lines: [["taken back", "delivered"], ["taken back"]] },
  {
    id: "ord_failed",
    status: "failed",
    lines: [
      ["refused", "unroutable"],
      ["duplicate", "written off"],
    ],
  },
  { id: "ord_failed_held", status: "failed", lines: [["refused"]], refundHeld: true },
  { id: "ord_failed_holding", status: "failed", lines: [["refused"]], refundHeld: true, work: "due" },
  {
    id: "ord_refunded",
    status: "refunded",
    lines: [
      ["refused", "duplicate"],
      ["unroutable", "written off"],
    ],
  },
  { id: "ord_taken", status: "refunded", lines: [["taken back", "refused"], ["taken back"]] },
];

export const HEALTHY_TEST_ORDERS: readonly OrderSeed[] = [
  { id: "ord_test_pending", status: "pending", lines: [["waiting"]] },
  { id: "ord_test_stuck", status: "processing", lines: [["waiting"]], work: "never" },
  { id: "ord_test_completed", status: "completed", lines: [["delivered", "delivered"]] },
  { id: "ord_test_partly", status: "completed", lines: [["delivered", "unroutable"]] },
  { id: "ord_test_failed", status: "failed", lines: [["unroutable"]], refundHeld: true },
  { id: "ord_test_refunded", status: "refunded", lines: [["unroutable"]] },
  { id: "ord_test_taken", status: "refunded", lines: [["taken back"]] },
];

export type Seller = { live: Tenant; test: Tenant };

/** A reseller with money in both wallets, suppliers, and unsold codes. */
export async function addSeller(db: Db): Promise<Seller> {
  const seller = await addReseller(db, "rsl_seller");
  await addReseller(db, "rsl_other");
  await addSuppliers(db);
  await db.rows(sql`
    insert into codes (id, environment, product_id, supplier_id, state, type, sealed, digest)
    select 'cod_' || state, 'live', 'card', ${SECOND_SUPPLIER}, state, 'code', 'sealed'::bytea, sha256(state::bytea)
    from unnest(array['stock', 'expired', 'damaged']) as one (state)`);
  return seller;
}

/** With a predictable id. */
async function addReseller(db: Db, resellerId: string): Promise<Seller> {
  await db.rows(sql`
    insert into resellers (id, name, currency, email) values (${resellerId}, 'Seller', 'USD', 'owner@seller.example')`);
  await openMissingWallets(db, systemClock);
  const live: Tenant = { resellerId, environment: "live" };
  await moveFunds(db, systemClock, live, { direction: "credit", amount: "100000.00", note: "" });
  return { live, test: { resellerId, environment: "test" } };
}

/** All of them at once. The codes of one order per environment are revealed to its reseller. */
export async function addHealthyOrders(tx: Tx, { live, test }: Seller): Promise<void> {
  for (const order of HEALTHY_LIVE_ORDERS) await addOrderInState(tx, live, order);
  for (const order of HEALTHY_TEST_ORDERS) await addOrderInState(tx, test, order);
  await tx.rows(sql`
    insert into code_reveals (order_id, reseller_id, environment, key_id, request_id, address, code_count, revealed_at)
    select id, reseller_id, environment, 'key', 'req', '192.0.2.1', 1, now() from orders
    where id in ('ord_completed', 'ord_test_completed')`);
}
