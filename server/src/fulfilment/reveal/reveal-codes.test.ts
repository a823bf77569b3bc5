import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { LightMyRequestResponse } from "fastify";
import sql from "sql-template-tag";
import { addBuyer, postOrder } from "../../../testing/builders/buyers.ts";
import { createTestFulfiller, type TestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import {
  createScriptedSupplier,
  lost,
  type ScriptedSupplier,
} from "../../../testing/upstream/scripted-supplier.ts";
import { connectDatabase } from "../../db/database.ts";
import type { Caller } from "../../http/caller.ts";
import type { Actor } from "../../lib/actor.ts";
import { secret } from "../../lib/secret.ts";
import { testCode } from "../../sandbox/test-code.ts";
import type { Goods } from "../../suppliers/goods.ts";
import { listCodes } from "./list-codes.ts";
import { revealCodes } from "./reveal-codes.ts";

const EXPIRES_AT = "2040-01-01T00:00:00.000Z";

let shop: Shop;
let supplierId: string;
let bought: string;
let supplier: ScriptedSupplier;
let worker: TestFulfiller;
before(async () => {
  shop = await openShop();
  supplierId = await addSupplierRow(shop.scrip.db, { kind: "scrip" });
  bought = await shop.addBought(supplierId);
  await shop.scrip.db.rows(sql`update products set type = 'top_up' where id = ${bought}`);
});
after(() => shop.close());
beforeEach(() => {
  shop.clock.advance(3_600_000);
  supplier = createScriptedSupplier();
  worker = createTestFulfiller(shop.scrip, { suppliers: { [supplierId]: supplier } });
});

const revealsOf = (orderId: string) =>
  shop.scrip.db.rows(sql`select code_count as count from code_reveals where order_id = ${orderId}`);
const readAs = (key: string, orderId: string): Promise<LightMyRequestResponse> =>
  shop.scrip.call("GET", `/v1/orders/${orderId}/codes`, { key });

/** An order of one code in stock that is called so, delivered. */
async function delivered(code: string): Promise<string> {
  const id = await shop.order([await shop.addStocked([{ type: "code", code }]), 1]);
  await worker.drain();
  return id;
}

test("codes, links and receipts are read as they were imported or bought, line by line, and nothing else", async () => {
  const goods: Goods[] = [
    { type: "code", code: "CODE-1", pin: "0042", serial: "S-1", expiresAt: EXPIRES_AT },
    { type: "code", code: "CODE-2" },
  ];
  const link: Goods = {
    type: "url",
    url: "https://redeem.example/x?y=1&z=ü",
    pin: "7",
    expiresAt: EXPIRES_AT,
  };
  const receipt: Goods = { type: "topup", receipt: "R-77/ä" };
  supplier.answers = [{ kind: "delivered", goods: secret(receipt), upstreamId: "up" }];
  const [codes, links] = [await shop.addStocked(goods), await shop.addStocked([link])];
  const id = await shop.order([links, 1], [codes, 2], [bought, 1]);
  const deliveredAt = shop.clock.now().toISOString();
  await worker.drain();
  const reply = await shop.codesOf(id);
  assert.equal(reply.statusCode, 200);
  assert.equal(reply.headers["cache-control"], "no-store");
  assert.equal(reply.headers.etag, undefined);
  const { orderId, status, data } = reply.json();
  assert.deepEqual([orderId, status], [id, "completed"]);
  const ids = data.map((one: { id: string }) => one.id);
  for (const one of ids) assert.match(one, /^cod_[0-9a-z]{26}$/);
  assert.deepEqual(data, [
    { id: ids[0], lineIndex: 0, productId: links, ...link, deliveredAt },
    ...goods.map((one, index) => ({
      id: ids[1 + index],
      lineIndex: 1,
      productId: codes,
      ...one,
      deliveredAt,
    })),
    { id: ids[3], lineIndex: 2, productId: bought, ...receipt, deliveredAt },
  ]);
  assert.equal(new Set(ids).size, 4);
  assert.deepEqual(await revealsOf(id), [{ count: 4 }]);
});

test("a top-up in the sandbox has a receipt that the caller can compute", async () => {
  const { key } = await shop.scrip.addKey(shop.buyer.resellerId, { env: "test" });
  const placed = await postOrder(shop.scrip, { ...shop.buyer, key }, "sandbox top-up", {
    lines: [{ productId: bought, quantity: 1 }],
  });
  await worker.drain();
  const { data } = (await readAs(key, placed.json().order.id)).json();
  assert.deepEqual(Object.keys(data[0]).sort(), [
    "deliveredAt",
    "id",
    "lineIndex",
    "productId",
    "receipt",
    "type",
  ]);
  assert.equal(data[0].receipt, testCode("sandbox top-up", 0, 0));
  assert.deepEqual(supplier.asked, []);
});

test("while an order is under way what has been delivered can be read, and grows", async () => {
  supplier.answers = [
    lost,
    { kind: "delivered", goods: secret({ type: "topup", receipt: "R-2" }), upstreamId: "" },
  ];
  const id = await shop.order([await shop.addStocked([{ type: "code", code: "FIRST" }]), 1], [bought, 1]);
  await worker.drain();
  const early = (await shop.codesOf(id)).json();
  assert.equal(early.status, "processing");
  assert.deepEqual(
    early.data.map(({ code }: { code: string }) => code),
    ["FIRST"],
  );
  shop.clock.advance(60_000);
  await worker.drain();
  const late = (await shop.codesOf(id)).json();
  assert.equal(late.status, "completed");
  assert.deepEqual(late.data[0], early.data[0]);
  assert.equal(late.data[1].receipt, "R-2");
  assert.deepEqual(await revealsOf(id), [{ count: 1 }, { count: 2 }]);
});

test("another reseller's order, and one of the other environment, are as unknown as one that does not exist", async () => {
  const id = await delivered("NOT YOURS");
  const other = await addBuyer(shop.scrip);
  const { key: sandboxKey } = await shop.scrip.addKey(shop.buyer.resellerId, { env: "test" });
  const missing = "ord_01m7ezrnqee21ahmmejds8xpc9";
  const bodyOf = async (key: string, orderId: string): Promise<string> => {
    const reply = await readAs(key, orderId);
    assert.equal(reply.statusCode, 404);
    return reply.body
      .replaceAll(String(reply.headers["x-request-id"]), "REQUEST")
      .replaceAll(orderId, "ORDER");
  };
  const expected = await bodyOf(shop.buyer.key, missing);
  for (const key of [other.key, sandboxKey]) assert.equal(await bodyOf(key, id), expected);
  assert.equal(await bodyOf(shop.buyer.key, "ord%00"), expected);
  assert.deepEqual(await revealsOf(id), []);
});

test("when it cannot be recorded that codes were shown, no code leaves", async () => {
  const { db } = shop.scrip;
  const id = await delivered("UNSEEN-CODE");
  await db.rows(sql`
    create trigger unwritable before insert on code_reveals for each row execute function refuse_change()`);
  const refused = await shop.codesOf(id);
  await db.rows(sql`drop trigger unwritable on code_reveals`);
  assert.equal(refused.statusCode, 500);
  assert.equal(refused.json().code, "internal_error");
  assert.doesNotMatch(refused.body, /UNSEEN/);
  assert.doesNotMatch(shop.scrip.logged(), /UNSEEN/);
  assert.deepEqual(await revealsOf(id), []);
  assert.equal((await shop.codesOf(id)).json().data[0].code, "UNSEEN-CODE");
});

test("when the record has to wait for too long, no code leaves either", async () => {
  const id = await delivered("LOCKED-CODE");
  const { connectionString, codeVault, db } = shop.scrip;
  const hurried = connectDatabase({
    connectionString,
    applicationName: "scrip test",
    poolSize: 1,
    onConnectionLost: () => {},
    statementTimeoutMs: 200,
  });
  const caller = { ...shop.buyer, actor: { kind: "user", id: "usr_1" } } as unknown as Caller;
  const request = { orderId: id, requestId: "req", address: "192.0.2.1" };
  const reveal = () => revealCodes({ db: hurried, clock: shop.clock, codeVault }, caller, request);
  await db.transaction(async (tx) => {
    await tx.rows(sql`lock table code_reveals in exclusive mode`);
    await assert.rejects(reveal(), { code: "57014" });
  });
  assert.deepEqual(await revealsOf(id), []);
  assert.equal((await reveal()).data.length, 1);
  assert.deepEqual(await revealsOf(id), [{ count: 1 }]);
  const [row] = await db.rows<{ actor: Actor }>(
    sql`select r.actor from code_reveals r where order_id = ${id}`,
  );
  assert.deepEqual(row?.actor, caller.actor);
  await hurried.close();
});

test("a code that was moved to another order's unit does not open there, and nothing is shown", async () => {
  const { db } = shop.scrip;
  const [mine, yours] = [await delivered("MINE-CODE"), await delivered("YOUR-CODE")];
  await db.rows(sql`
    update codes c set sealed = other.sealed from codes other where c.order_id = ${mine} and other.order_id = ${yours}`);
  const reply = await shop.codesOf(mine);
  assert.equal(reply.statusCode, 500);
  assert.doesNotMatch(reply.body + shop.scrip.logged(), /MINE-CODE|YOUR-CODE/);
  assert.deepEqual(await revealsOf(mine), []);
});

test("codes are listed without themselves, and of the operator's readings nobody is named", async () => {
  const id = await delivered("LISTED-CODE");
  const { db, codeVault } = shop.scrip;
  const request = { orderId: id, requestId: "req", address: "192.0.2.1" };
  for (const kind of ["user", "staff"] as const)
    await revealCodes(
      { db, clock: shop.clock, codeVault },
      { ...shop.buyer, actor: { kind, id: `${kind}_1` } },
      request,
    );
  const listed = await listCodes(db, shop.buyer, id);
  assert.equal(listed.count, 1);
  assert.deepEqual(Object.keys(listed.codes[0] ?? {}).sort(), [
    "deliveredAt",
    "expiresAt",
    "id",
    "kid",
    "lineIndex",
    "productId",
    "type",
  ]);
  assert.deepEqual(
    listed.reveals.map(({ by, address, codeCount }) => [by, address, codeCount]),
    [
      [{ kind: "user", id: "user_1" }, "192.0.2.1", 1],
      ["operator", undefined, 1],
    ],
  );
  const other = await addBuyer(shop.scrip);
  assert.deepEqual(await listCodes(db, other, id), { codes: [], count: 0, reveals: [] });
});

test("what else is recorded with a reveal is there with it or not at all, and one code is no more than one", async () => {
  const id = await shop.order([
    await shop.addStocked(["ONE", "TWO"].map((code) => ({ type: "code", code }))),
    2,
  ]);
  await worker.drain();
  const deps = { db: shop.scrip.db, clock: shop.clock, codeVault: shop.scrip.codeVault };
  const caller = { ...shop.buyer, actor: { kind: "user", id: "usr_1" } as const };
  const request = { orderId: id, requestId: "req", address: "192.0.2.1" };
  const fail = async (): Promise<void> => {
    throw new Error("not recorded");
  };
  await assert.rejects(revealCodes(deps, caller, { ...request, alsoRecord: fail }), /not recorded/);
  assert.deepEqual(await revealsOf(id), []);
  const { codes } = await listCodes(deps.db, caller, id);
  const codeId = codes[1]?.id;
  const { data } = await revealCodes(deps, caller, { ...request, codeId });
  assert.deepEqual(
    data.map(({ code }) => code),
    ["TWO"],
  );
  assert.deepEqual(await revealsOf(id), [{ count: 1 }]);
  await assert.rejects(revealCodes(deps, caller, { ...request, codeId: "cod_1" }), { code: "not_found" });
});
