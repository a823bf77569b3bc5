import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DatabaseError } from "pg";
import sql, { type Sql } from "sql-template-tag";
import { addOrderInState, SECOND_SUPPLIER } from "../../testing/builders/fulfilment-rows.ts";
import { addSeller, type Seller } from "../../testing/builders/healthy-orders.ts";
import { addEndpoint, addEvent } from "../../testing/builders/webhook-builders.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import type { Tx } from "../db/database.ts";
import { isOrderScenario, SCENARIO_NAMES } from "./scenarios.ts";

type Environment = "live" | "test";
const ORDERS = { live: "ord_live", test: "ord_test" };
const ENDPOINTS = { live: "whk_live", test: "whk_test" };
const EVENTS = { live: "evt_live", test: "evt_test" };
const OF_ANOTHER = "whk_another";

let database: TestDatabase;
let seller: Seller;

/** In each environment of one reseller an order whose only unit is waited for, an endpoint, an event and a key. */
before(async () => {
  database = await createTestDatabase();
  const { db } = database;
  seller = await addSeller(db);
  for (const environment of ["live", "test"] as const) {
    const tenant = seller[environment];
    await db.transaction((tx) =>
      addOrderInState(tx, tenant, { id: ORDERS[environment], status: "processing", lines: [["waiting"]] }),
    );
    await addEndpoint(db, { ...tenant, id: ENDPOINTS[environment] });
    await addEvent(db, { ...tenant, id: EVENTS[environment] });
    await db.rows(sql`
      insert into api_keys (id, reseller_id, environment, digest, last_four, scopes)
      values (${`key_${environment}`}, ${tenant.resellerId}, ${environment}, sha256(${environment}::bytea), 'abcd', '{}')`);
  }
  await addEndpoint(db, { resellerId: "rsl_other", environment: "test", id: OF_ANOTHER });
});
after(() => database.drop());

const undone = new Error("undone");
/** What the database says to a statement, which leaves nothing behind. */
async function attempt(statement: Sql): Promise<DatabaseError | undefined> {
  const run = async (tx: Tx) => {
    await tx.rows(statement);
    throw undone;
  };
  try {
    await database.db.transaction(run);
  } catch (error) {
    if (error === undone) return undefined;
    if (error instanceof DatabaseError) return error;
    throw error;
  }
  throw new Error("a transaction that ended without an end");
}
const accepts = async (statement: Sql) => assert.equal(await attempt(statement), undefined);
async function refuses(constraint: string, statement: Sql): Promise<void> {
  const error = await attempt(statement);
  assert.equal(error?.constraint, constraint, error?.message ?? "it was accepted");
  assert.equal(error?.code, "23514");
}

const CODE = { live: { sealed: "sealed", test: null }, test: { sealed: null, test: "TEST-AAAA-BBBB-CCCC" } };
type CodeRow = { environment: string; orderId: string; sealed: string | null; test: string | null };
const insertCode = ({ environment, orderId, sealed, test: testCode }: CodeRow): Sql => sql`
  insert into codes (id, environment, product_id, supplier_id, state, type, sealed, digest, test_code, order_id,
                     line_index, unit_index, delivered_at)
  values ('cod_new', ${environment}, 'card', ${sealed && SECOND_SUPPLIER}, 'delivered', 'code', ${sealed}::bytea,
          case when ${sealed}::text is not null then sha256('new') end, ${testCode}, ${orderId}, 0, 0, now())`;

test("an order of one environment holds no code of the other", async () => {
  for (const environment of ["live", "test"] as const)
    await accepts(insertCode({ environment, orderId: ORDERS[environment], ...CODE[environment] }));
  await refuses(
    "codes_environment_new",
    insertCode({ environment: "test", orderId: ORDERS.live, ...CODE.test }),
  );
  await refuses(
    "codes_environment_new",
    insertCode({ environment: "live", orderId: ORDERS.test, ...CODE.live }),
  );
});

test("a live code is sealed and no TEST- code, a sandbox code is not sealed and begins with TEST-", async () => {
  const live = { environment: "live", orderId: ORDERS.live };
  const sandbox = { environment: "test", orderId: ORDERS.test };
  await refuses("codes_environment", insertCode({ ...live, ...CODE.test }));
  await refuses("codes_environment", insertCode({ ...live, sealed: "sealed", test: CODE.test.test }));
  await refuses("codes_environment", insertCode({ ...sandbox, ...CODE.live }));
  await refuses("codes_environment", insertCode({ ...sandbox, sealed: "sealed", test: CODE.test.test }));
  for (const looksLive of ["ABCD-EFGH-JKMN", "test-AAAA-BBBB-CCCC", "", "XTEST-AAAA", "TEST"])
    await refuses("codes_test_code_check", insertCode({ ...sandbox, sealed: null, test: looksLive }));
});

test("a code in stock can be given to a live order, and to no sandbox order", async () => {
  const give = (orderId: string): Sql => sql`
    update codes set state = 'delivered', order_id = ${orderId}, line_index = 0, unit_index = 0, delivered_at = now()
    where id = 'cod_stock'`;
  await accepts(give(ORDERS.live));
  await refuses("codes_environment_given", give(ORDERS.test));
  await refuses("codes_environment", sql`update codes set environment = 'test' where id = 'cod_stock'`);
});

const insertOrder = (environment: Environment, scenario: string): Sql => sql`
  insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, total_minor, currency, key_id,
                      created_at, updated_at, test_scenario)
  values ('ord_new', 'rsl_seller', ${environment}, 'new', sha256(''), 100, 'USD', 'key', now(), now(), ${scenario})`;

test("a sandbox order has a scenario that is one of orders, a live order has none", async () => {
  for (const scenario of SCENARIO_NAMES.filter(isOrderScenario)) {
    await accepts(insertOrder("test", scenario));
    await refuses("orders_test_scenario", insertOrder("live", scenario));
  }
  for (const scenario of ["success", "out_of_stock", "nonsense", "", "FAILED"])
    await refuses("orders_test_scenario", insertOrder("test", scenario));
  await refuses(
    "orders_test_scenario",
    sql`update orders set test_scenario = 'stuck' where id = ${ORDERS.live}`,
  );
});

test("only a sandbox order is refunded by itself after its completion", async () => {
  const refundSoon = (id: string): Sql => sql`update orders set refund_after_ms = 1 where id = ${id}`;
  await accepts(refundSoon(ORDERS.test));
  await refuses("orders_refund_after", refundSoon(ORDERS.live));
});

const insertEvent = (environment: Environment, orderId: string | null, scenario: string | null): Sql => sql`
  insert into events (id, reseller_id, environment, type, body, order_id, cause, created_at, test_scenario)
  values ('evt_new', 'rsl_seller', ${environment}, 'order.fulfilled', '{}', ${orderId},
          case when ${orderId}::text is not null then 'fulfilled' end, now(), ${scenario})`;

test("an event is of its order's environment, and only one of the sandbox is delivered otherwise", async () => {
  for (const environment of ["live", "test"] as const) {
    const another = environment === "live" ? ORDERS.test : ORDERS.live;
    await accepts(insertEvent(environment, ORDERS[environment], null));
    await accepts(insertEvent(environment, null, null));
    await refuses("events_owner", insertEvent(environment, another, null));
  }
  await accepts(insertEvent("test", ORDERS.test, "webhook_late"));
  await refuses("events_test_scenario", insertEvent("live", ORDERS.live, "webhook_late"));
  await refuses("events_test_scenario", insertEvent("test", ORDERS.test, "stuck"));
  await refuses("events_delivery", insertEvent("live", ORDERS.live, "webhook_duplicate"));
  await refuses("events_delivery", insertEvent("live", ORDERS.live, "webhook_bad_signature"));
});

test("an event, a reveal and a refund are of their order's reseller and environment", async () => {
  const { resellerId } = seller.test;
  const owners = [
    [resellerId, "live"],
    ["rsl_other", "test"],
  ] as const;
  const tellAs = (owner: string, environment: string): Sql => sql`
    insert into events (id, reseller_id, environment, type, body, order_id, cause, created_at)
    values ('evt_new', ${owner}, ${environment}, 'order.fulfilled', '{}', ${ORDERS.test}, 'fulfilled', now())`;
  const revealAs = (owner: string, environment: string): Sql => sql`
    insert into code_reveals (order_id, reseller_id, environment, key_id, request_id, address, code_count, revealed_at)
    values (${ORDERS.test}, ${owner}, ${environment}, 'key', 'req', '192.0.2.1', 1, now())`;
  const refundTo = (owner: string, environment: string): Sql => sql`
    insert into ledger_entries (id, reseller_id, environment, sequence, type, counter_account, amount_minor,
                                balance_after_minor, currency, order_id, hash, created_at)
    values ('ent_new', ${owner}, ${environment}, 1000, 'refund', 'sales', 100, 100, 'USD', ${ORDERS.test}, sha256(''), now())`;
  for (const [constraint, write] of [
    ["events_owner", tellAs],
    ["code_reveals_owner", revealAs],
    ["ledger_entries_wallet", refundTo],
  ] as const) {
    await accepts(write(resellerId, "test"));
    for (const [owner, environment] of owners) await refuses(constraint, write(owner, environment));
  }
});

const insertUnit = (environment: Environment, orderId: string): Sql => sql`
  insert into order_units (order_id, line_index, unit_index, environment, due_at)
  values (${orderId}, 0, 1, ${environment}, now())`;
const insertAttempt = (environment: Environment, orderId: string): Sql => sql`
  insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                 status, opened_at)
  values (${orderId}, 0, 0, 1, ${environment}, 'card', ${SECOND_SUPPLIER}, 'sku', 'open', now())`;

test("a unit is of its order's environment, and nothing is ever bought for a sandbox order", async () => {
  await accepts(insertUnit("live", ORDERS.live));
  await accepts(insertUnit("test", ORDERS.test));
  await refuses("order_units_environment", insertUnit("test", ORDERS.live));
  await refuses("order_units_environment", insertUnit("live", ORDERS.test));
  await accepts(insertAttempt("live", ORDERS.live));
  await refuses("supplier_attempts_environment", insertAttempt("live", ORDERS.test));
  for (const orderId of Object.values(ORDERS))
    await refuses("supplier_attempts_environment_check", insertAttempt("test", orderId));
});

test("an event is delivered to endpoints of its environment and reseller alone", async () => {
  const deliver = (eventId: string, endpointId: string): Sql => sql`
    insert into deliveries (id, event_id, endpoint_id, next_attempt_at, created_at)
    values ('dlv_new', ${eventId}, ${endpointId}, now(), now())`;
  await accepts(deliver(EVENTS.live, ENDPOINTS.live));
  await accepts(deliver(EVENTS.test, ENDPOINTS.test));
  await refuses("deliveries_endpoint", deliver(EVENTS.live, ENDPOINTS.test));
  await refuses("deliveries_endpoint", deliver(EVENTS.test, ENDPOINTS.live));
  await refuses("deliveries_endpoint", deliver(EVENTS.test, OF_ANOTHER));
});

test("one row of another environment among many right ones refuses them all", async () => {
  await refuses(
    "order_units_environment",
    sql`
      insert into order_units (order_id, line_index, unit_index, environment, due_at)
      select case when number = 500 then ${ORDERS.live} else ${ORDERS.test} end, 0, number, 'test', now()
      from generate_series(1, 1000) number`,
  );
});

test("what belongs to one environment, or to one reseller, stays there", async () => {
  await database.db.rows(insertAttempt("live", ORDERS.live));
  await database.db.rows(
    sql`insert into webhook_secrets (endpoint_id, sealed, created_at) values (${ENDPOINTS.test}, '', now())`,
  );
  await database.db.rows(sql`
    insert into deliveries (id, event_id, endpoint_id, next_attempt_at, created_at)
    values ('dlv_test', ${EVENTS.test}, ${ENDPOINTS.test}, now(), now())`);
  const moves: Record<string, readonly Sql[]> = {
    orders: [
      sql`update orders set environment = 'live' where id = ${ORDERS.test}`,
      sql`update orders set environment = 'test' where id = ${ORDERS.live}`,
      sql`update orders set reseller_id = 'rsl_other' where id = ${ORDERS.test}`,
      sql`update orders set id = 'ord_moved' where id = ${ORDERS.test}`,
    ],
    wallets: [
      sql`update wallets set environment = 'live' where reseller_id = 'rsl_seller' and environment = 'test'`,
      sql`update wallets set reseller_id = 'rsl_other' where reseller_id = 'rsl_seller'`,
    ],
    order_lines: [sql`update order_lines set environment = 'live' where order_id = ${ORDERS.test}`],
    webhook_secrets: [sql`update webhook_secrets set endpoint_id = ${ENDPOINTS.live}`],
    deliveries: [
      sql`update deliveries set endpoint_id = ${ENDPOINTS.live}`,
      sql`update deliveries set event_id = ${EVENTS.live}`,
    ],
    order_units: [
      sql`update order_units set environment = 'live' where order_id = ${ORDERS.test}`,
      sql`update order_units set order_id = ${ORDERS.live}, unit_index = 7 where order_id = ${ORDERS.test}`,
    ],
    supplier_attempts: [sql`update supplier_attempts set order_id = ${ORDERS.test}`],
    webhook_endpoints: [
      sql`update webhook_endpoints set environment = 'live' where id = ${ENDPOINTS.test}`,
      sql`update webhook_endpoints set reseller_id = 'rsl_other' where id = ${ENDPOINTS.test}`,
    ],
    api_keys: [
      sql`update api_keys set environment = 'live' where id = 'key_test'`,
      sql`update api_keys set reseller_id = 'rsl_other' where id = 'key_test'`,
    ],
    events: [sql`update events set environment = 'live' where id = ${EVENTS.test}`],
    ledger_entries: [sql`update ledger_entries set environment = 'live' where environment = 'test'`],
  };
  for (const [table, statements] of Object.entries(moves)) {
    for (const statement of statements) {
      const error = await attempt(statement);
      assert.equal(error?.code, "23001", `${table}: ${error?.message ?? "it was accepted"}`);
      assert.match(
        error.message,
        new RegExp(`^${table}(_default)? (stay where they belong|is append-only)$`),
      );
    }
  }
});
