import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { explain } from "../../testing/database/explain.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { sizeFor } from "../../testing/full-size.ts";
import type { Tenant } from "../http/caller.ts";
import { sumSpanRows } from "./day-queries.ts";
import { type EntryFilters, listEntryRows, listMovementRows } from "./queries.ts";

const ENTRIES = sizeFor("soak", { share: 20_000, wide: 40_000, full: 200_000 });
const REFUND_EVERY = ENTRIES / 5;
const REFUNDED_ORDER = `ord_${2 * REFUND_EVERY - 1}`;
const BUFFERS_MAX = 100;
/** For each end of a span a search of some eighteen steps. */
const SPAN_BUFFERS_MAX = 400;

const busy: Tenant = { resellerId: "rsl_busy", environment: "live" };
const idle: Tenant = { resellerId: "rsl_idle", environment: "live" };
let database: TestDatabase;

before(async () => {
  database = await createTestDatabase();
  await fillEntries(idle, 1, 1_000);
  await fillEntries(busy, 1_001, ENTRIES);
  await database.db.rows(sql`analyze ledger_entries`);
});

after(() => database.drop());

/**
 * One entry per second. One tenth are deposits, all old. Refunds are rare, and the newest entries are all orders.
 */
const fillEntries = (tenant: Tenant, first: number, last: number) =>
  database.db.rows(sql`
    insert into ledger_entries (id, reseller_id, environment, sequence, type, counter_account, amount_minor,
                                balance_after_minor, currency, order_id, hash, created_at)
    select 'ent_' || n, ${tenant.resellerId}, ${tenant.environment}, n - ${first} + 1, type,
           case when type = 'deposit' then 'funding' else 'sales' end, case when type = 'order' then -1 else 1 end, 1,
           'USD', case when type = 'deposit' then null when type = 'refund' then 'ord_' || n - 1 else 'ord_' || n end,
           sha256(''), timestamptz '2030-01-01Z' + n * interval '1 second'
    from (
      select n, case when n <= ${ENTRIES / 10} then 'deposit' when n % ${REFUND_EVERY}::integer = 0 then 'refund' else 'order' end as type
      from generate_series(${first}::integer, ${last}::integer) n
    ) numbered`);

const timeOf = (n: number): Date => new Date(Date.UTC(2030, 0, 1) + n * 1_000);

const FILTERS: Record<string, EntryFilters> = {
  "no filter": {},
  "type, newest": { type: "order" },
  "type, far back": { type: "deposit" },
  "type, rare": { type: "refund" },
  "type, no entries": { type: "adjustment" },
  "orderId with a refund": { orderId: REFUNDED_ORDER },
  "orderId and type": { orderId: REFUNDED_ORDER, type: "refund" },
  "orderId of an unknown order": { orderId: "ord_none" },
  "createdTo, long ago": { createdTo: timeOf(ENTRIES * 0.15) },
  "createdFrom, recent": { createdFrom: timeOf(ENTRIES - 100) },
  "createdFrom and createdTo": { createdFrom: timeOf(ENTRIES * 0.1), createdTo: timeOf(ENTRIES * 0.3) },
  "a time range without entries": { createdFrom: timeOf(ENTRIES * 2) },
  "type and a time range without it": { type: "deposit", createdFrom: timeOf(ENTRIES * 0.5) },
  "type and createdTo": { type: "order", createdTo: timeOf(ENTRIES * 0.25) },
  "all filters": {
    type: "order",
    orderId: REFUNDED_ORDER,
    createdFrom: timeOf(1),
    createdTo: timeOf(ENTRIES * 0.45),
  },
};

for (const [what, filters] of Object.entries(FILTERS)) {
  test(`GET /v1/wallet/entries by ${what} touches few pages of ${ENTRIES} entries`, async () => {
    for (const [tenant, deep] of [
      [busy, BigInt(ENTRIES / 2)],
      [idle, 500n],
    ] as const) {
      for (const before of [undefined, deep]) {
        const { buffers, scanned, plan } = await explain(database.db, (db) =>
          listEntryRows(db, tenant, { ...filters, before, limit: 101 }),
        );
        assert.deepEqual(scanned, [], plan);
        assert.ok(buffers < BUFFERS_MAX, `${tenant.resellerId}: ${buffers} buffers${plan}`);
      }
    }
  });
}

test("spans of many entries are summed from their ends, without reading the entries of orders", async () => {
  const entries = ENTRIES - 1_000;
  await database.db.rows(sql`
    insert into resellers (id, name, currency, email, created_at)
    values (${busy.resellerId}, 'Busy', 'USD', 'owner@busy.example', now())`);
  await database.db.rows(sql`
    insert into wallets (reseller_id, environment, currency, balance_minor, sequence, head_hash, last_entry_at)
    values (${busy.resellerId}, ${busy.environment}, 'USD', 1, ${entries}, sha256(''), ${timeOf(ENTRIES)})`);
  const bounds = [timeOf(ENTRIES * 0.5), timeOf(ENTRIES * 0.75), timeOf(ENTRIES * 0.95)];
  const [first, second] = await sumSpanRows(database.db, busy, bounds);
  assert.deepEqual(
    [first?.entries, first?.refunds, second?.entries, second?.refunds],
    [BigInt(ENTRIES * 0.25), 1n, BigInt(ENTRIES * 0.2), 1n],
  );
  const { buffers, scanned, plan } = await explain(database.db, (db) => sumSpanRows(db, busy, bounds));
  assert.deepEqual(scanned, [], plan);
  assert.ok(buffers < SPAN_BUFFERS_MAX, `${buffers} buffers${plan}`);
});

test(`movements over all wallets touch few pages of ${ENTRIES} entries`, async () => {
  for (const before of [undefined, "ent_2"]) {
    const { buffers, scanned, plan } = await explain(database.db, (db) =>
      listMovementRows(db, "live", { before, limit: 51 }),
    );
    assert.ok(buffers <= BUFFERS_MAX, `${buffers} pages:\n${plan}`);
    assert.ok(!scanned.includes("ledger_entries"), plan);
  }
});
