import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { createTestFulfiller, type TestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { eventually } from "../../../testing/eventually.ts";
import type { Tx } from "../../db/database.ts";
import { pickStock } from "./take-stock.ts";

let shop: Shop;
let worker: TestFulfiller;
before(async () => {
  shop = await openShop();
  worker = createTestFulfiller(shop.scrip);
});
after(() => shop.close());
beforeEach(() => shop.clock.advance(60_000));

const need = (productId: string, count: number) => ({ productId, supplierId: shop.stockSupplierId, count });
const pick = (tx: Tx, ...needs: ReturnType<typeof need>[]) => pickStock(tx, needs, shop.clock.now());
const daysAhead = (days: number): string =>
  new Date(shop.clock.now().getTime() + days * 86_400_000).toISOString();

/** Holds a code of the product while something else goes on, then ends as told. */
async function holdOne(productId: string, meanwhile: () => Promise<unknown>, end: "sold" | "given back") {
  const giveBack = new Error("given back");
  await shop.scrip.db
    .transaction(async (tx) => {
      const [code] = await pick(tx, need(productId, 1));
      await meanwhile();
      if (end === "given back") throw giveBack;
      // Sold; the order does not matter here.
      await tx.rows(sql`update codes set state = 'expired' where id = ${code?.id}`);
    })
    .catch((error) => assert.equal(error, giveBack));
}

const someoneWaits = () =>
  eventually("a transaction waits for a lock", async () => {
    const waiting = await shop.scrip.db.rows(sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    return waiting.length > 0 ? true : undefined;
  });

test("locked codes are skipped while there are enough others", async () => {
  const productId = await shop.addStocked(3);
  const id = await shop.order([productId, 2]);
  await holdOne(productId, () => worker.drain(), "given back");
  const { data } = (await shop.codesOf(id)).json();
  assert.deepEqual(
    data.map(({ code }: { code: string }) => code),
    [`${productId}-1`, `${productId}-2`],
  );
});

for (const [end, units] of [
  ["given back", [2, 0]],
  ["sold", [1, 1]],
] as const)
  test(`without enough others a locked code is waited for; once it is ${end}, as many as there are get delivered`, async () => {
    const productId = await shop.addStocked(2);
    const id = await shop.order([productId, 2]);
    let drained: Promise<void> | undefined;
    const meanwhile = async () => {
      drained = worker.drain();
      await someoneWaits();
    };
    await holdOne(productId, meanwhile, end);
    await drained;
    const { status, lines } = await shop.read(id);
    assert.equal(status, "completed");
    assert.deepEqual([lines[0]?.fulfilledQuantity, lines[0]?.refundedQuantity], units);
    await shop.assertHealthy();
  });

test("many that want the last codes at once get each code once, and none waits for another in a circle", async () => {
  // So many that their looks at the stock overlap: each finds some of the last ones, and none finds enough.
  const [codes, takers, wanted] = [1_000, 6, 300];
  const [first, second] = [await shop.addStocked(codes), await shop.addStocked(codes)];
  const takeSome = (turn: number): Promise<string[]> =>
    shop.scrip.db.transaction(async (tx) => {
      const needs = [need(first, wanted), need(second, wanted)];
      const picked = await pick(tx, ...(turn % 2 === 0 ? needs : needs.reverse()));
      const ids = picked.map(({ id }) => id);
      await tx.rows(sql`update codes set state = 'expired' where id = any(${ids})`);
      return ids;
    });
  const taken = (await Promise.all(Array.from({ length: takers }, (_, turn) => takeSome(turn)))).flat();
  assert.equal(taken.length, 2 * codes);
  assert.equal(new Set(taken).size, taken.length);
});

test("who is told of a circle gives back what it holds, and takes its place again", async () => {
  const productId = await shop.addStocked(2);
  const [first, second] = await shop.scrip.db.rows<{ id: string }>(
    sql`select id from codes where product_id = ${productId} order by id`,
  );
  const lock = (tx: Tx, code: { id: string } | undefined) =>
    tx.rows(sql`select id from codes where id = ${code?.id} for update`);
  let picked: Promise<string[]> | undefined;
  await shop.scrip.db.transaction(async (other) => {
    // The other one goes against the order, and would rather wait than be told.
    await other.rows(sql`set local deadlock_timeout = '1min'`);
    await lock(other, second);
    picked = shop.scrip.db.transaction(async (tx) => {
      await tx.rows(sql`set local deadlock_timeout = '100ms'`);
      return (await pick(tx, need(productId, 2))).map(({ id }) => id);
    });
    await someoneWaits();
    await lock(other, first);
  });
  assert.deepEqual(await picked, [first?.id, second?.id]);
});

test("each need is met from its own product and supplier, as far as it goes", async () => {
  const [few, many, none] = [await shop.addStocked(2), await shop.addStocked(9), await shop.addStocked(0)];
  const picked = await shop.scrip.db.transaction((tx) =>
    pick(tx, need(many, 4), need(none, 1), need(few, 3)),
  );
  const counts = Object.fromEntries([few, many, none].map((id) => [id, 0]));
  for (const { productId } of picked) counts[productId] = (counts[productId] ?? 0) + 1;
  assert.deepEqual(counts, { [few]: 2, [many]: 4, [none]: 0 });
  const elsewhere = { ...need(many, 1), supplierId: "sup_none" };
  assert.deepEqual(await shop.scrip.db.transaction((tx) => pick(tx, elsewhere)), []);
});

test("what expires first is sold first, what never expires last, and what has expired not at all", async () => {
  const productId = await shop.addStocked([
    { type: "code", code: "never" },
    { type: "code", code: "in ten days", expiresAt: daysAhead(10) },
    { type: "code", code: "today", expiresAt: shop.clock.now().toISOString() },
    { type: "code", code: "in two days", expiresAt: daysAhead(2) },
    { type: "code", code: "yesterday", expiresAt: daysAhead(-1) },
  ]);
  const id = await shop.order([productId, 5]);
  await worker.drain();
  const { data } = (await shop.codesOf(id)).json();
  assert.deepEqual(
    data.map(({ code }: { code: string }) => code),
    ["in two days", "in ten days", "never"],
  );
  assert.equal((await shop.read(id)).lines[0]?.refundedQuantity, 2);
  await shop.assertHealthy();
});

test("a code that is marked for withdrawal is not sold", async () => {
  const { db } = shop.scrip;
  const productId = await shop.addStocked(2);
  await db.rows(sql`
    update codes set withdraw_on_return = true
    where id = (select min(id) from codes where product_id = ${productId})`);
  assert.equal((await db.transaction((tx) => pick(tx, need(productId, 2)))).length, 1);
});

test("a code that expires while it waits in stock is not sold any more", async () => {
  const productId = await shop.addStocked([{ type: "code", code: "soon gone", expiresAt: daysAhead(1) }]);
  const id = await shop.order([productId, 1]);
  shop.clock.advance(86_400_000);
  await worker.drain();
  assert.equal((await shop.read(id)).status, "refunded");
  await shop.assertHealthy();
});
