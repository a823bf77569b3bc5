import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addProducts } from "../../testing/builders/builders.ts";
import { addOrderInState, addSuppliers, FIRST_SUPPLIER } from "../../testing/builders/fulfilment-rows.ts";
import { addLoggedRequest } from "../../testing/builders/logged-requests.ts";
import { newId } from "../../testing/builders/new-id.ts";
import { addStockRow } from "../../testing/builders/supply-builders.ts";
import { addDelivery, addEndpoint, addEvent } from "../../testing/builders/webhook-builders.ts";
import { explain } from "../../testing/database/explain.ts";
import { COMMAND, openPeopleDesk, STAFF_TEAM } from "../../testing/people/people-desk.ts";
import { invitePerson } from "../accounts/people/invite-person.ts";
import type { Db, Queryable } from "../db/database.ts";
import { showReference } from "../deposits/reference.ts";
import { requestDeposit } from "../deposits/request-deposit.ts";
import { SCOPES } from "../http/caller.ts";
import { startJob } from "../jobs/start-job.ts";
import { createKey } from "../keys/create-key.ts";
import { createReseller } from "../resellers/create-reseller.ts";
import { moveFunds } from "../wallet/move-funds.ts";
import { openMissingWallets } from "../wallet/open-wallets.ts";
import { FOUND_KINDS, type FoundKind } from "./found.ts";
import { readTerm } from "./read-term.ts";
import { searchEverything } from "./search-everything.ts";

const pepper = createSecretKey(Buffer.alloc(32, 3));
const ALL: ReadonlySet<FoundKind> = new Set(FOUND_KINDS);
let desk: Awaited<ReturnType<typeof openPeopleDesk>>;
let db: Db;
/** What is typed, and what must be found first: its kind and its id. */
const cases: [typed: string, kind: FoundKind, id: string][] = [];
let key = "";

before(async () => {
  desk = await openPeopleDesk();
  db = desk.db;
  const { clock } = desk;
  const input = { name: "Corner O'Shop & Söhne", currency: "USD", email: "Till@corner.example" };
  const { id: resellerId } = await createReseller(db, clock, input);
  await openMissingWallets(db, clock);
  const tenant = { resellerId, environment: "live" } as const;
  const funds = await moveFunds(db, clock, tenant, {
    direction: "credit",
    amount: "100.00",
    note: "paid in",
  });
  const { deposit } = await requestDeposit({ db, clock }, tenant, { amountMinor: 100n }, COMMAND);
  await addProducts(db, [{ id: "card" }, { id: "game" }, { id: "nimbus-us-25" }]);
  await db.rows(sql`update products set name = 'Nimbus Store 25.50 USD (extra)' where id = 'nimbus-us-25'`);
  await addSuppliers(db);
  const orderId = newId("ord");
  await db.transaction((tx) =>
    addOrderInState(tx, tenant, { id: orderId, status: "processing", lines: [["asked"]] }),
  );
  await db.rows(sql`update orders set reference = 'PO 4711/x' where id = ${orderId}`);
  await db.rows(
    sql`update supplier_attempts set upstream_id = 'UP-88.17' where order_id = ${orderId} and number = 2`,
  );
  const made = await createKey(
    { db, clock, pepper },
    { ...tenant, name: "", scopes: [...SCOPES], allowedIps: [], expiresAt: undefined },
  );
  key = made.key;
  const user = await invitePerson(
    desk.deps,
    { kind: "user", resellerId },
    { email: "ana@corner.example", role: "owner" },
    COMMAND,
  );
  const staff = await invitePerson(
    desk.deps,
    STAFF_TEAM,
    { email: "kim@scrip.example", role: "admin" },
    COMMAND,
  );
  const endpointId = await addEndpoint(db, tenant);
  const eventId = await addEvent(db, tenant);
  const deliveryId = await addDelivery(db, { eventId, endpointId });
  const requestId = await addLoggedRequest(db, tenant);
  const codeId = await addStockRow(db, { productId: "card", supplierId: FIRST_SUPPLIER });
  const jobId = await startJob(desk.deps, { kind: "audit", params: {} }, COMMAND);
  const alertId = newId("alt");
  await db.rows(sql`
    insert into alerts (id, kind, subject, facts, raised_at) values (${alertId}, 'audit_broken', 'audit', '{}', now())`);
  const [activity] = await db.rows<{ id: string }>(sql`select id from activity limit 1`);
  cases.push(
    [orderId, "order", orderId],
    [orderId.slice(0, 20), "order", orderId],
    ["PO 4711/x", "order", orderId],
    [` ${orderId} `, "order", orderId],
    [`${orderId}.0.0`, "unit", `${orderId}.0.0`],
    [`${orderId}.0.0.1`, "unit", `${orderId}.0.0`],
    ["UP-88.17", "purchase", `${orderId}.0.0.2`],
    [codeId, "code", codeId],
    [funds.entryId, "entry", funds.entryId],
    [deposit.id, "deposit", deposit.id],
    [showReference(deposit.reference).toLowerCase(), "deposit", deposit.id],
    [resellerId, "reseller", resellerId],
    ["söhne corn", "reseller", resellerId],
    ["till@CORNER.example", "reseller", resellerId],
    [made.id, "key", made.id],
    [key, "key", made.id],
    [`sc_live_…${key.slice(-4)}`, "key", made.id],
    [user.id, "user", user.id],
    ["Ana@corner.example", "user", user.id],
    [staff.id, "staff", staff.id],
    ["kim@scrip.example", "staff", staff.id],
    [endpointId, "endpoint", endpointId],
    [eventId, "event", eventId],
    [deliveryId, "delivery", deliveryId],
    [requestId, "request", requestId],
    ["nimbus-us-25", "product", "nimbus-us-25"],
    ["nimb 25.5 ext", "product", "nimbus-us-25"],
    [FIRST_SUPPLIER, "supplier", FIRST_SUPPLIER],
    [activity?.id ?? "", "activity", activity?.id ?? ""],
    [jobId, "job", jobId],
    [alertId, "alert", alertId],
  );
});
after(() => desk?.drop());

const search = (typed: string, kinds: ReadonlySet<FoundKind> = ALL, from: Queryable = db) => {
  const term = readTerm(typed);
  return term ? searchEverything({ db: from, pepper }, term, kinds) : Promise.resolve([]);
};

test("each kind is found by what it is called, first, and never with a secret", async () => {
  for (const [typed, kind, id] of cases) {
    const found = await search(typed);
    assert.deepEqual([found[0]?.kind, found[0]?.id], [kind, id], typed);
    assert.ok(!JSON.stringify(found).includes(key));
  }
});

test("the idempotency key of an order finds it, and the same key of two resellers finds both", async () => {
  for (let count = 0; count < 2; count += 1) {
    const { resellerId } = await desk.newTeam(`Twin ${count}`);
    await db.rows(sql`
      insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, total_minor, currency, key_id, created_at,
                          updated_at)
      values (${newId("ord")}, ${resellerId}, 'test', 'twin key', sha256(''), 100, 'USD', 'key', now(), now())`);
  }
  const found = await search("twin key");
  assert.deepEqual(
    found.map(({ kind, environment, resellerName }) => `${kind} ${environment} ${resellerName}`).toSorted(),
    ["order test Twin 0", "order test Twin 1"],
  );
});

test("a kind that is not asked for is not found, and a search is one statement", async () => {
  for (const [typed, kind] of cases) {
    const others = new Set(FOUND_KINDS.filter((one) => one !== kind));
    assert.ok(!(await search(typed, others)).some((one) => one.kind === kind), typed);
    let statements = 0;
    await search(typed, ALL, {
      rows(query, options) {
        statements += 1;
        return db.rows(query, options);
      },
    });
    assert.equal(statements, 1, typed);
  }
  assert.deepEqual(await search(cases[0]?.[0] ?? "", new Set()), []);
});

/** Resellers are asked one by one for what only an index of their orders finds. Everything else is a look into an index. */
test("no table is read from end to end", async () => {
  await db.transaction(async (tx) => {
    await tx.rows(sql`set local enable_seqscan to off`);
    for (const [typed] of [...cases, ["nothing at all"] as const]) {
      const cost = await explain(tx as unknown as Db, (counted) => search(typed, ALL, counted));
      assert.deepEqual(cost.scanned, [], `${typed}: ${cost.plan}`);
    }
  });
});

test("hostile and odd terms find nothing and break nothing", async () => {
  for (const typed of [
    "",
    "  ",
    "\0",
    "'); drop table orders; --",
    "a & ! | ( : *",
    "%",
    "\ud800",
    "…",
    "ord_",
    "x".repeat(5_000),
    "@",
    "9.9.9.9",
  ])
    assert.deepEqual(await search(typed), [], JSON.stringify(typed));
});
