import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import type { Tx } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { auditAfter, type Findings } from "../testing/audit-after.ts";
import { addBuyer, addCard, type Buyer, CARD, CARD_PRICE_MINOR, postOrder } from "../testing/buyers.ts";
import { createTestApp, type TestApp } from "../testing/test-app.ts";
import { appendEntry } from "../wallet/entry.ts";
import { insertEntry, lockWallet, updateWallet } from "../wallet/queries.ts";

let scrip: TestApp;
let buyer: Buyer;
let other: Buyer;
/** Orders of the buyer, the first with two lines of one card each. */
let [first, second] = ["", ""];

before(async () => {
  scrip = await createTestApp();
  await addCard(scrip.db);
  buyer = await addBuyer(scrip);
  other = await addBuyer(scrip);
  const line = { productId: CARD, quantity: 1 };
  first = (await postOrder(scrip, buyer, "first", { lines: [line, line] })).json().order.id;
  second = (await postOrder(scrip, buyer, "second", { lines: [line] })).json().order.id;
});

after(() => scrip.close());

type Damage = (tx: Tx) => Promise<unknown>;

const run =
  (...statements: string[]): Damage =>
  async (tx) => {
    for (const statement of statements) await tx.rows(raw(statement));
  };

/** A refund with everything that belongs to an entry, so that only its order can tell that it is wrong. */
const refund =
  (tenant: Tenant, orderId: string, amountMinor: number, ...statements: string[]): Damage =>
  async (tx) => {
    const head = await lockWallet(tx, tenant);
    assert.ok(head);
    const next = appendEntry(head, {
      id: "ent_refund",
      type: "refund",
      amountMinor: BigInt(amountMinor),
      orderId,
      note: null,
      createdAt: new Date(),
    });
    assert.ok(next);
    await insertEntry(tx, next.entry);
    await updateWallet(tx, next.head);
    await run(...statements)(tx);
  };

const withoutWork = (id: string) => `delete from order_work where order_id = '${id}'`;
const withStatus = (id: string, status: string) =>
  `update orders set status = '${status}' where id = '${id}'`;
const refunded = (id: string) =>
  `update orders set status = 'refunded', refunded_minor = total_minor where id = '${id}'`;

const CLEAN: Record<string, () => Damage> = {
  "an order under way": () => run(withStatus(first, "processing")),
  "a completed order": () => run(withStatus(first, "completed"), withoutWork(first)),
  "a failed order whose refund is due": () => run(withStatus(first, "failed")),
  "a failed order whose refund is on hold": () => run(withStatus(first, "failed"), withoutWork(first)),
  "a refunded order": () => refund(buyer, second, CARD_PRICE_MINOR, refunded(second), withoutWork(second)),
  "an order of which half was refunded": () =>
    refund(
      buyer,
      first,
      CARD_PRICE_MINOR,
      `update orders set refunded_minor = ${CARD_PRICE_MINOR} where id = '${first}'`,
    ),
};

for (const [what, damage] of Object.entries(CLEAN)) {
  test(`the audit has nothing against ${what}`, async () => {
    assert.deepEqual(await auditAfter(scrip.db, damage()), {});
  });
}

const differs = (id: string): Findings => ({ 3: [`order ${id}: debit, total and lines differ`] });

const DAMAGES: Record<string, [() => Damage, () => Findings]> = {
  "an order that costs more than was paid": [
    () => run(`update orders set total_minor = total_minor + 1 where id = '${first}'`),
    () => differs(first),
  ],
  "lines that cost more than was paid": [
    () =>
      run(
        `update order_lines set quantity = 2, line_total_minor = 2 * unit_price_minor where order_id = '${second}'`,
      ),
    () => differs(second),
  ],
  "a line that is missing in the middle": [
    () =>
      run(
        `delete from order_lines where order_id = '${first}' and line_index = 0`,
        `update order_lines set quantity = 2, line_total_minor = 2 * unit_price_minor where order_id = '${first}'`,
      ),
    () => differs(first),
  ],
  "an order without lines": [
    () => run(`delete from order_lines where order_id = '${second}'`),
    () => ({ 3: [`order ${second}: no lines`] }),
  ],
  "a line that belongs to the sandbox": [
    () => run(`update order_lines set environment = 'test' where order_id = '${second}'`),
    () => ({ 3: [`line 0 of ${second} has no order, or another tenant's`] }),
  ],
  "an order of another reseller than the one who paid": [
    () =>
      run(
        `update orders set reseller_id = '${other.resellerId}' where id = '${second}'`,
        `update order_lines set reseller_id = '${other.resellerId}' where order_id = '${second}'`,
      ),
    () => differs(second),
  ],
  "a debit whose order is gone": [
    () =>
      run(
        `delete from order_lines where order_id = '${second}'`,
        `delete from orders where id = '${second}'`,
        withoutWork(second),
      ),
    () => ({ 3: [`order ${second}: a debit without an order`] }),
  ],
  "an order that nobody paid": [
    () => async (tx) => {
      await tx.rows(sql`
        insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, total_minor, currency, key_id,
                            created_at, updated_at)
        select 'ord_free', reseller_id, environment, 'free', fingerprint, total_minor, currency, key_id, created_at,
               updated_at
        from orders where id = ${second}`);
      await tx.rows(sql`
        insert into order_lines (order_id, line_index, reseller_id, environment, product_id, name, unit_price_minor,
                                 quantity, line_total_minor)
        select 'ord_free', 0, reseller_id, environment, product_id, name, unit_price_minor, quantity, line_total_minor
        from order_lines where order_id = ${second}`);
      await tx.rows(sql`insert into order_work (order_id, due_at) values ('ord_free', now())`);
    },
    () => ({ 3: ["order ord_free: no debit"] }),
  ],
  "an order that says refunded and was not": [
    () => run(refunded(second), withoutWork(second)),
    () => ({ 4: [`order ${second}: refunds of 0 against ${CARD_PRICE_MINOR}`] }),
  ],
  "a refund that the order does not know of": [
    () => refund(buyer, second, 1),
    () => ({ 4: [`order ${second}: refunds of 1 against 0`] }),
  ],
  "refunds of more than was paid": [
    () =>
      refund(
        buyer,
        second,
        CARD_PRICE_MINOR + 1,
        "alter table orders drop constraint orders_refunded",
        `update orders set refunded_minor = total_minor + 1, status = 'completed' where id = '${second}'`,
        withoutWork(second),
      ),
    () => ({ 4: [`order ${second}: refunds of ${CARD_PRICE_MINOR + 1} against ${CARD_PRICE_MINOR + 1}`] }),
  ],
  "an order that got all back and does not say refunded": [
    () =>
      refund(
        buyer,
        second,
        CARD_PRICE_MINOR,
        "alter table orders drop constraint orders_refunded",
        `update orders set refunded_minor = total_minor where id = '${second}'`,
      ),
    () => ({ 4: [`order ${second}: refunds of ${CARD_PRICE_MINOR} against ${CARD_PRICE_MINOR}`] }),
  ],
  "a refund that went to another reseller": [
    () => refund(other, second, CARD_PRICE_MINOR, refunded(second), withoutWork(second)),
    () => ({ 4: [`a refund for ${second}, which is no order of that wallet`] }),
  ],
  "a refund of no order": [
    () => refund(buyer, "ord_none", 1),
    () => ({ 4: ["a refund for ord_none, which is no order of that wallet"] }),
  ],
  "a key that is bound to two orders": [
    () =>
      run(
        "alter table orders drop constraint orders_idempotency_key",
        `update orders set idempotency_key = 'first' where id = '${second}'`,
      ),
    () => ({ 5: [`reseller ${buyer.resellerId} live: one key is bound to ${first}, ${second}`] }),
  ],
  "a pending order without work": [
    () => run(withoutWork(first)),
    () => ({ 7: [`order ${first} is pending and has no work`] }),
  ],
  "a processing order without work": [
    () => run(withStatus(second, "processing"), withoutWork(second)),
    () => ({ 7: [`order ${second} is processing and has no work`] }),
  ],
  "work for a finished order": [
    () => run(withStatus(first, "completed")),
    () => ({ 7: [`work for ${first}, which is no unfinished order`] }),
  ],
  "work for no order": [
    () => run("insert into order_work (order_id, due_at) values ('ord_none', now())"),
    () => ({ 7: ["work for ord_none, which is no unfinished order"] }),
  ],
};

for (const [what, [damage, finds]] of Object.entries(DAMAGES)) {
  test(`the audit finds ${what}, and nothing else`, async () => {
    assert.deepEqual(await auditAfter(scrip.db, damage()), finds());
  });
}
