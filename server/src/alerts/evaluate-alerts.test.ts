import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { addOrder, addProducts, setSupply } from "../../testing/builders/builders.ts";
import { addRouteRow, addStockRow, addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import { createHandClock } from "../../testing/hand-clock.ts";
import { createReseller } from "../resellers/create-reseller.ts";
import { setEnabled } from "../suppliers/enable-supplier.ts";
import { enableRoute, stopOvercharge } from "../suppliers/overcharges/route-pauses.ts";
import { acknowledgeAlert } from "./acknowledge-alert.ts";
import { chooseAlertLetters } from "./choose-letters.ts";
import { evaluateAlerts } from "./evaluate-alerts.ts";
import { listAlerts } from "./list-alerts.ts";
import { countOpen } from "./queries.ts";
import { recordBackup } from "./record-backup.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const BY = { actor: { kind: "command", id: "scrip" } } as const;

const { db, drop } = await createTestDatabase();
after(drop);
const clock = createHandClock(new Date("2030-01-01T00:00:00Z"));
const deps = { db, clock, consoleUrl: "http://localhost:8081" };
const evaluate = () => evaluateAlerts(deps);
const run = (statement: string) => db.rows(raw(statement));
const open = async () => (await listAlerts(db, clock.now())).open;
const titles = async () => (await open()).map(({ kind, title }) => `${kind}: ${title}`);
const ago = (ms: number) => new Date(clock.now().getTime() - ms);

const reseller = await createReseller(db, clock, { name: "One", currency: "USD", email: "a@one.example" });
const tenant = { resellerId: reseller.id, environment: "live" } as const;
await addOrder(db, { ...tenant, id: "ord_1" });
await addOrder(db, { ...tenant, id: "ord_2" });
await addOrder(db, { ...tenant, id: "ord_test", environment: "test" });
await addProducts(db, [
  { id: "card", name: "Card" },
  { id: "game", name: "Game" },
]);
const stock = await addSupplierRow(db, { name: "Secret Warehouse" });
const remote = await addSupplierRow(db, { kind: "scrip", name: "Secret Upstream" });
for (const [account, email] of [
  ["stf_ana", "ana@op.example"],
  ["stf_bo", "bo@op.example"],
  ["stf_gone", "gone@op.example"],
])
  await db.rows(sql`
    insert into accounts (id, kind, email, role, created_at, accepted_at)
    values (${account}, 'staff', ${email}, 'admin', now(), now())`);
await chooseAlertLetters(deps, "stf_ana", true, BY);
await chooseAlertLetters(deps, "stf_gone", true, BY);
await run("update accounts set removed_at = now() where id = 'stf_gone'");
await recordBackup(deps, "first", BY);
const letters = () =>
  db.rows<{ recipient: string; subject: string; body: string }>(
    sql`select recipient, subject, body_text as body from letters order by id`,
  );

afterEach(async () => {
  await evaluate();
  assert.deepEqual(await open(), [], "the condition of the test has ended");
  await run("truncate alerts, letters restart identity");
});

const attempt = (orderId: string, openedAt: Date, supplierId = remote, productId = "card", unit = 0) =>
  db.rows(sql`
    insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                   status, opened_at)
    values (${orderId}, 0, ${unit}, 1, 'live', ${productId}, ${supplierId}, 'card', 'open', ${openedAt})`);

test("purchase_unknown: raised after an hour, once for an order, resolved by an outcome or a write-off", async () => {
  await attempt("ord_1", ago(60 * MINUTE_MS - 1));
  await evaluate();
  assert.deepEqual(await titles(), []);
  await attempt("ord_1", ago(60 * MINUTE_MS), remote, "card", 1);
  await attempt("ord_2", ago(90 * MINUTE_MS));
  await evaluate();
  await evaluate();
  assert.deepEqual(
    (await open()).map(({ subject, facts, path }) => [subject, facts.purchases, path]),
    [
      ["ord_2", 1, "/unknown"],
      ["ord_1", 1, "/unknown"],
    ].sort(),
  );
  await run(
    "update supplier_attempts set status = 'delivered', resolved_at = now() where order_id = 'ord_1'",
  );
  await run(
    "update supplier_attempts set written_off_at = now(), next_look_at = now() where order_id = 'ord_2'",
  );
  await evaluate();
  const { resolved } = await listAlerts(db, clock.now());
  assert.deepEqual(resolved.map(({ subject }) => subject).sort(), ["ord_1", "ord_2"]);
  await run("delete from supplier_attempts");
});

test("purchases_not_found: raised once for a supplier whose purchases wait for a person, resolved by a decision", async () => {
  await attempt("ord_1", ago(MINUTE_MS));
  await attempt("ord_2", ago(MINUTE_MS));
  await evaluate();
  assert.deepEqual(await titles(), []);
  await run("update supplier_attempts set not_found_state = 'too_many'");
  await evaluate();
  await evaluate();
  assert.deepEqual(
    (await open()).map(({ facts, path }) => [facts.purchases, path]),
    [[2, `/unknown?supplier=${remote}`]],
  );
  assert.match((await titles()).join(), /: 2 purchases wait for you/);
  await run("update supplier_attempts set not_found_state = 'confirmed' where order_id = 'ord_1'");
  await run(
    "update supplier_attempts set written_off_at = now(), next_look_at = now() where order_id = 'ord_2'",
  );
  await evaluate();
  assert.deepEqual(await titles(), []);
  await run("delete from supplier_attempts");
});

test("refund_held: raised once all units have ended, in live only, and resolved by the release", async () => {
  await run("update orders set status = 'processing', open_units = 1, refund_held = true");
  await evaluate();
  assert.deepEqual(await titles(), []);
  await run("update orders set open_units = 0 where id <> 'ord_2'");
  await run("update orders set status = 'failed' where id = 'ord_2'");
  await evaluate();
  assert.deepEqual((await titles()).sort(), [
    "refund_held: Order ord_1 of One, 1.00 USD: the refund is on hold",
    "refund_held: Order ord_2 of One, 1.00 USD: the refund is on hold",
  ]);
  await run("update orders set refund_held = false");
});

test("rate_stale, price_floor and purchase_at_loss: from what was noted until it ends", async () => {
  await db.rows(sql`
    insert into withheld_prices (product_id, price_list, currency, amount_minor, reason, withheld_at)
    values ('card', 'standard', 'EUR', 900, 'rate_stale', ${ago(MINUTE_MS)}),
           ('game', 'standard', 'EUR', 900, 'above_face', ${ago(MINUTE_MS)})`);
  await run(
    "insert into list_prices (product_id, price_list, currency, amount_minor, at_floor) values ('game', 'x', 'USD', 1, true)",
  );
  await db.rows(sql`
    insert into loss_stops values ('card', 'ord_1', ${ago(DAY_MS - MINUTE_MS)}), ('game', 'ord_2', ${ago(DAY_MS)})`);
  await evaluate();
  assert.deepEqual((await titles()).sort(), [
    "price_floor: The price of Game was raised to its floor",
    "purchase_at_loss: Card was refunded: every supplier would have sold it at a loss",
    "rate_stale: Prices of 1 products are withheld: an exchange rate is too old or missing since 2029-12-31 23:59 UTC",
  ]);
  assert.deepEqual((await open()).map(({ path }) => path).sort(), ["/orders/ord_1", "/prices", "/prices"]);
  await run("truncate withheld_prices, list_prices, loss_stops");
});

test("supplier_failing: from the opened circuit to the next answer, and not for a disabled supplier", async () => {
  await db.rows(sql`
    update suppliers set consecutive_failures = 5, open_until = ${ago(MINUTE_MS)} where id = ${remote}`);
  await evaluate();
  assert.deepEqual(await titles(), [
    "supplier_failing: Supplier Secret Upstream keeps failing and is paused: 5 failures in a row",
  ]);
  await run("update suppliers set consecutive_failures = 6");
  await evaluate();
  assert.deepEqual(
    (await open()).map(({ facts }) => facts.failures),
    [6],
    "facts follow",
  );
  await run("update suppliers set enabled = false");
  await evaluate();
  assert.deepEqual(await titles(), []);
  await run("update suppliers set enabled = true, consecutive_failures = 0, open_until = null");
});

test("supplier_balance_low: below the operator's amount, and only with one", async () => {
  await run("update suppliers set balance_minor = 4999, balance_currency = 'USD', balance_at = now()");
  await evaluate();
  assert.deepEqual(await titles(), []);
  await db.rows(sql`update suppliers set balance_low_minor = 5000 where id = ${remote}`);
  await evaluate();
  assert.deepEqual(await titles(), [
    "supplier_balance_low: The balance at supplier Secret Upstream is low: 49.99 USD, below 50.00 USD",
  ]);
  await run("update suppliers set balance_minor = 5000");
});

test("route_overcharged and supplier_disabled: with product, expected and charged, until a person enables them", async () => {
  await addRouteRow(db, { productId: "card", supplierId: remote });
  const overcharge = (price: { amountMinor: bigint; currency: string }) =>
    stopOvercharge(db, clock, {
      ...{ productId: "card", supplierId: remote, price },
      purchase: { orderId: "ord_1", lineIndex: 0, unitIndex: 0, attempt: 1 },
      limit: { expectedMinor: 975n, maxMinor: 994n, currency: "USD" },
    });
  await overcharge({ amountMinor: 1_024n, currency: "USD" });
  await evaluate();
  assert.deepEqual(await titles(), [
    "route_overcharged: Card: supplier Secret Upstream charged 10.24 USD in place of 9.75 USD; the route is paused",
  ]);
  assert.deepEqual((await open())[0]?.path, "/products/card");
  const [letter] = await letters();
  assert.match(letter?.body ?? "", /Card: supplier sup_\w+ charged 10\.24 USD in place of 9\.75 USD/);
  await enableRoute(db, clock, { productId: "card", supplierId: remote }, BY);
  await overcharge({ amountMinor: 14_625n, currency: "JPY" });
  await evaluate();
  assert.deepEqual(await titles(), [
    "supplier_disabled: Supplier Secret Upstream is switched off: Card was expected to cost 9.75 USD and was charged 14625 JPY",
  ]);
  await setEnabled(db, clock, remote, true, BY);
  await setEnabled(db, clock, stock, false, BY);
  await evaluate();
  assert.deepEqual(await titles(), [], "a person who switches a supplier off needs no alert");
  await setEnabled(db, clock, stock, true, BY);
});

test("products_left_sale: more products than the setting left within an hour, whatever made them leave", async () => {
  const leave = (id: string, at: Date, reason: string, left = true, list = "standard") =>
    db.rows(sql`
      insert into not_for_sale (product_id, price_list, currency, reason, since, left_sale)
      values (${id}, ${list}, 'USD', ${reason}, ${at}, ${left})`);
  await leave("card", ago(59 * MINUTE_MS), "hidden");
  await leave("card", ago(59 * MINUTE_MS), "no_rate", true, "gold");
  await leave("game", ago(60 * MINUTE_MS), "out_of_stock");
  await leave("new", clock.now(), "withheld", false);
  await evaluateAlerts({ ...deps, settings: { productsLeftMax: 1 } });
  assert.deepEqual(await titles(), [], "one left within an hour, one before, and one was never on sale");
  await leave("other", clock.now(), "above_face_value");
  await evaluateAlerts({ ...deps, settings: { productsLeftMax: 2 } });
  assert.deepEqual(await titles(), []);
  await evaluateAlerts({ ...deps, settings: { productsLeftMax: 1 } });
  assert.deepEqual(await titles(), [
    "products_left_sale: 2 products left the shop within an hour, since 2029-12-31 23:01 UTC",
  ]);
  assert.deepEqual(
    (await open()).map(({ path }) => path),
    ["/not-for-sale"],
  );
  await run("truncate not_for_sale");
});

test("stock_low: less than three days of sales, or nothing of a product that nobody else has", async () => {
  await addRouteRow(db, { productId: "card", supplierId: stock });
  await addRouteRow(db, { productId: "game", supplierId: stock });
  for (let unit = 0; unit < 7; unit += 1) await attempt("ord_1", ago(MINUTE_MS), stock, "card", unit);
  const codes = [];
  for (let count = 0; count < 3; count += 1)
    codes.push(await addStockRow(db, { productId: "card", supplierId: stock }));
  await setSupply(db, ["card"], "available");
  await setSupply(db, ["game"], "empty");
  await evaluate();
  assert.deepEqual(await titles(), ["stock_low: Game is out of stock"]);
  await db.rows(sql`update codes set state = 'expired' where id = ${codes[0]}`);
  await run("update products set hidden = true where id = 'game'");
  await evaluate();
  assert.deepEqual(await titles(), [
    "stock_low: Card runs out of stock within 3 days: 2 codes are left of 3",
  ]);
  assert.deepEqual((await open())[0]?.facts, {
    productId: "card",
    productName: "Card",
    available: 2,
    neededIn3Days: 3,
  });
  await addStockRow(db, { productId: "card", supplierId: stock });
  await evaluate();
  assert.deepEqual(await titles(), []);
  await run("delete from supplier_attempts");
});

test("key_frozen: a live key until it is unfrozen or revoked", async () => {
  await run(`
    insert into api_keys (id, name, reseller_id, environment, digest, last_four, scopes, frozen_at)
    values ('key_fast', 'till', '${reseller.id}', 'live', decode(repeat('ab', 32), 'hex'), 'abcd', '{orders:read}', '2029-12-31Z'),
      ('key_test', 'other', '${reseller.id}', 'test', decode(repeat('cd', 32), 'hex'), 'abcd', '{orders:read}', '2029-12-31Z')`);
  await evaluate();
  const title = `Key till of One is frozen: it spent far more than usual`;
  assert.deepEqual(await titles(), [`key_frozen: ${title}`]);
  await run("update api_keys set frozen_at = null");
  await evaluate();
  assert.deepEqual(await titles(), []);
});

test("endpoint_disabled: by failures, not by its owner, until it is enabled or removed", async () => {
  const add = (id: string, notified: string) =>
    db.rows(sql`
      insert into webhook_endpoints (id, reseller_id, environment, url, active, notified, created_at, updated_at)
      values (${id}, ${reseller.id}, 'live', 'https://hooks.example/secret', false, ${notified}, now(), now())`);
  await add("whk_1", "disabled");
  await add("whk_2", "72h");
  await evaluate();
  assert.deepEqual(
    (await open()).map(({ subject, title }) => [subject, title.includes("hooks.example")]),
    [["whk_1", false]],
  );
  await run("update webhook_endpoints set active = true, notified = 'nothing' where id = 'whk_1'");
});

test("audit_broken: while the latest run or the latest full run is broken", async () => {
  const add = (ok: boolean, since: Date | null = null) =>
    db.rows(sql`
      insert into audit_runs (started_at, finished_at, ok, invariants, since, actor_kind, actor_id)
      values (${clock.now()}, ${clock.now()}, ${ok},
              ${JSON.stringify([
                { number: 10, ok },
                { number: 2, ok },
                { number: 3, ok: true },
              ])}::jsonb, ${since}, 'command', 'scrip')`);
  const broken = ["audit_broken: The audit of 2030-01-01 00:00 UTC found broken invariants: 2, 10"];
  await add(false);
  await evaluate();
  assert.deepEqual(await titles(), broken);
  await add(true, ago(DAY_MS));
  await evaluate();
  assert.deepEqual(await titles(), broken, "a run that checked only what has changed does not end it");
  await add(true);
  await evaluate();
  assert.deepEqual(await titles(), []);
  await add(false, ago(DAY_MS));
  await evaluate();
  assert.deepEqual(await titles(), broken);
  await add(true);
});

test("worker_gone: a silent worker, until another one has started in its place or a day is over", async () => {
  const beat = (id: string, startedAt: Date, beatAt: Date, role = "worker") =>
    db.rows(sql`
      insert into processes (id, role, host, pid, version, started_at, beat_at)
      values (${id}, ${role}, 'host-1', 1, '1', ${startedAt}, ${beatAt})`);
  await beat("prc_old", ago(DAY_MS), ago(0));
  await beat("prc_api", ago(DAY_MS), ago(DAY_MS / 2), "api");
  await beat("prc_a", ago(DAY_MS), ago(2 * MINUTE_MS));
  await beat("prc_b", ago(DAY_MS), ago(3 * MINUTE_MS), "all");
  await beat("prc_slow", ago(DAY_MS), ago(2 * MINUTE_MS - 1));
  await evaluate();
  assert.deepEqual((await open()).map(({ subject }) => subject).sort(), ["prc_a", "prc_b"]);
  await beat("prc_new", ago(MINUTE_MS), ago(0));
  await evaluate();
  assert.deepEqual(
    (await open()).map(({ subject }) => subject),
    ["prc_a"],
    "one new worker replaces one",
  );
  await beat("prc_newer", ago(MINUTE_MS), ago(0));
  await evaluate();
  assert.deepEqual(await open(), []);
  await run("truncate processes");
});

test("backup_unknown: 26 hours after the last recorded backup", async () => {
  clock.advance(26 * 60 * MINUTE_MS);
  await evaluate();
  assert.deepEqual(await titles(), ["backup_unknown: The last recorded backup is from 2030-01-01 00:00 UTC"]);
  await recordBackup(deps, "second", BY);
});

test("processes that evaluate together raise once, and each reader gets one letter for a round", async () => {
  await run("update orders set refund_held = true where id = 'ord_2'");
  await run("update suppliers set consecutive_failures = 5, open_until = now()");
  const rounds = await Promise.all(Array.from({ length: 6 }, () => evaluate()));
  assert.ok(rounds.includes(true));
  await evaluate();
  assert.equal((await open()).length, 3);
  const sent = await letters();
  assert.deepEqual(
    sent.map(({ recipient, subject }) => [recipient, subject]),
    [["ana@op.example", "Scrip: 3 new alerts"]],
  );
  assert.match(sent[0]?.body ?? "", /http:\/\/localhost:8081\/alerts/);
  assert.doesNotMatch(sent[0]?.body ?? "", /Secret/, "no supplier's name");
  const counts = Object.fromEntries((await countOpen(db)).map(({ kind, count }) => [kind, count]));
  assert.deepEqual(counts, { refund_held: 1, supplier_failing: 2 });
  await run("update orders set refund_held = false");
  await evaluate();
  await run("update orders set refund_held = true where id = 'ord_2'");
  await evaluate();
  assert.equal((await letters()).length, 2, "a new raise is a new letter");
  await run("update orders set refund_held = false");
  await run("update suppliers set consecutive_failures = 0, open_until = null");
});

test("of two who acknowledge at once one is told; an acknowledged alert stays open and goes last", async () => {
  await run("update orders set refund_held = true where id = 'ord_2'");
  await evaluate();
  const [alert] = await open();
  const ack = (id: string) => acknowledgeAlert(deps, alert?.id ?? "", { actor: { kind: "staff", id } });
  const results = await Promise.allSettled([ack("stf_ana"), ack("stf_bo")]);
  const refused = results.filter((one) => one.status === "rejected");
  assert.equal(refused.length, 1);
  assert.match(String(refused[0]?.reason), /stf_(ana|bo) has acknowledged this alert already/);
  assert.equal((await db.rows(sql`select from activity where action = 'alert.acknowledged'`)).length, 1);
  await run("update suppliers set consecutive_failures = 5, open_until = now() where not has_own_stock");
  await evaluate();
  assert.deepEqual(
    (await open()).map(({ kind, acknowledgedAt }) => [kind, acknowledgedAt !== null]),
    [
      ["supplier_failing", false],
      ["refund_held", true],
    ],
  );
  await run("update orders set refund_held = false");
  await run("update suppliers set consecutive_failures = 0, open_until = null");
  await evaluate();
  await assert.rejects(ack("stf_bo"), /resolved already/);
  await assert.rejects(acknowledgeAlert(deps, "alt_none", BY), /there is no alert alt_none/);
});

test("a list that nobody keeps up to date says so, and resolved alerts are removed after 90 days", async () => {
  await run("update orders set refund_held = true where id = 'ord_2'");
  await evaluate();
  await run("update orders set refund_held = false");
  await evaluate();
  assert.equal(await evaluateAlerts({ ...deps, freshForMs: 1 }), false, "another process has just done it");
  assert.equal((await listAlerts(db, clock.now())).isStale, false);
  clock.advance(5 * MINUTE_MS + 1);
  assert.equal((await listAlerts(db, clock.now())).isStale, true);
  clock.advance(91 * DAY_MS);
  await recordBackup(deps, "third", BY);
  await evaluate();
  assert.deepEqual((await listAlerts(db, clock.now())).resolved, []);
});
