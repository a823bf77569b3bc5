import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import {
  createTestFulfiller,
  type TestFulfiller,
  unitStatuses,
} from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { secret } from "../../lib/secret.ts";
import { refreshSupply } from "../../suppliers/refresh-supply.ts";
import { createCodeVault } from "../../vault/code-vault.ts";
import { fixedKeyring } from "../../vault/keyring.ts";
import { FULFILMENT_LIMITS } from "../limits.ts";

let shop: Shop;
let worker: TestFulfiller;
before(async () => {
  shop = await openShop();
  worker = createTestFulfiller(shop.scrip);
});
after(() => shop.close());
beforeEach(() => shop.clock.advance(60_000));

type StoredCode = { id: string; state: string; sealed: Buffer };
const stockOf = (productId: string): Promise<StoredCode[]> =>
  shop.scrip.db.rows<StoredCode>(
    sql`select id, state, sealed from codes where product_id = ${productId} order by id`,
  );
const statesOf = async (productId: string): Promise<string[]> =>
  (await stockOf(productId)).map(({ state }) => state);
const setSeal = (id: string | undefined, sealed: Buffer) =>
  shop.scrip.db.rows(sql`update codes set sealed = ${sealed} where id = ${id}`);
const codesOf = async (id: string): Promise<string[]> =>
  ((await shop.codesOf(id)).json().data ?? []).map(({ code }: { code: string }) => code);

const withByteChanged = (sealed: Buffer, index: number): Buffer => {
  const changed = Buffer.from(sealed);
  changed.writeUInt8(changed.readUInt8(changed.length - 1 - index) ^ 1, changed.length - 1 - index);
  return changed;
};

const DAMAGES: [string, (seal: Buffer, another: Buffer) => Buffer][] = [
  ["one bit of it was changed", (seal) => withByteChanged(seal, 0)],
  ["one bit of its wrapped key was changed", (seal) => withByteChanged(seal, seal.length - 40)],
  ["it was cut short", (seal) => seal.subarray(0, 30)],
  ["it was emptied", () => Buffer.alloc(0)],
  ["it belongs to another code", (_seal, another) => another],
];

for (const [damage, change] of DAMAGES)
  test(`a code in stock that does not open because ${damage} is set aside, and the next one is delivered`, async () => {
    const productId = await shop.addStocked(3);
    const [first, second] = await stockOf(productId);
    await setSeal(first?.id, change(first?.sealed ?? Buffer.alloc(0), second?.sealed ?? Buffer.alloc(0)));
    const id = await shop.order([productId, 1]);
    await worker.drain();
    assert.deepEqual(await codesOf(id), [`${productId}-1`]);
    assert.deepEqual(await statesOf(productId), ["damaged", "delivered", "stock"]);
    await shop.assertHealthy();
  });

test("when only damaged codes are left the order is refunded, and the product is no longer available", async () => {
  const productId = await shop.addStocked(1);
  const [only] = await stockOf(productId);
  await setSeal(only?.id, Buffer.from("scratched"));
  const id = await shop.order([productId, 1]);
  await worker.drain();
  assert.equal((await shop.read(id)).status, "refunded");
  assert.equal((await shop.read(id)).lines[0]?.failureCode, "out_of_stock");
  assert.deepEqual(await statesOf(productId), ["damaged"]);
  assert.equal(await refreshSupply(shop.scrip.db, [productId], shop.clock.now()), 1);
  await shop.assertHealthy();
});

test("however many are damaged, all are set aside in the end and the good ones are delivered", async () => {
  const [damaged, good] = [23, 5];
  const productId = await shop.addStocked(damaged + good);
  for (const { id } of (await stockOf(productId)).slice(0, damaged))
    await setSeal(id, Buffer.from("scratched"));
  const ids = [await shop.order([productId, good - 1]), await shop.order([productId, 1])];
  for (let go = 0; go < damaged && (await statesOf(productId)).includes("stock"); go += 1) {
    await worker.drain();
    shop.clock.advance(FULFILMENT_LIMITS.leaseMs);
  }
  const codes = await Promise.all(ids.map(codesOf));
  assert.deepEqual(
    codes.flat().sort(),
    Array.from({ length: good }, (_, index) => `${productId}-${damaged + index}`),
  );
  assert.equal((await statesOf(productId)).filter((state) => state === "damaged").length, damaged);
  await shop.assertHealthy();
});

test("with the master key missing nothing is marked, nothing is refunded, and all goes on once it is back", async () => {
  const productId = await shop.addStocked(2);
  const id = await shop.order([productId, 2]);
  const codeVault = createCodeVault(fixedKeyring([secret(Buffer.alloc(32, 1))]));
  const keyless = createTestFulfiller({ ...shop.scrip, codeVault });
  for (let go = 0; go < 3; go += 1) {
    await keyless.drain();
    assert.deepEqual(await statesOf(productId), ["stock", "stock"]);
    assert.deepEqual(await unitStatuses(shop.scrip.db, id), ["waiting waiting"]);
    shop.clock.advance(FULFILMENT_LIMITS.leaseMs);
  }
  await shop.assertHealthy();
  await worker.drain();
  assert.deepEqual(await codesOf(id), [`${productId}-0`, `${productId}-1`]);
  await shop.assertHealthy();
});
