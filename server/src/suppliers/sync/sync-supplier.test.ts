import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { addProducts } from "../../../testing/builders/builders.ts";
import { createTestDatabase } from "../../../testing/database/test-database.ts";
import { createHandClock } from "../../../testing/hand-clock.ts";
import { addAnsweringSupplier } from "../../../testing/upstream/answering-supplier.ts";
import type { FakeKind } from "../../../testing/upstream/supplier-fakes.ts";
import { secret } from "../../lib/secret.ts";
import { fixedKeyring } from "../../vault/keyring.ts";
import { testSupplier } from "../calls/test-supplier.ts";
import { costText, type SyncItem } from "./compare-catalog.ts";
import { applySync, proposeSync, type SyncChoice } from "./sync-supplier.ts";

const { db, drop } = await createTestDatabase();
after(drop);
const clock = createHandClock(new Date("2030-01-01T00:00:00Z"));
const deps = { db, clock, keyring: fixedKeyring([secret(Buffer.alloc(32, 7))]) };
const BY = { actor: { kind: "command", id: "scrip" } } as const;

const add = async (kind: FakeKind, name: string) => {
  const supplier = await addAnsweringSupplier(deps, kind, name);
  after(supplier.close);
  return supplier;
};
const apply = (id: string, choice: SyncChoice = {}) => applySync(deps, id, choice, BY);
const idOf = (item: SyncItem): string => (item.change === "new" ? item.product.id : item.route.productId);
const said = (items: readonly SyncItem[]) => items.map((item) => `${item.change} ${item.id} ${idOf(item)}`);

/** A product of Reloadly. */
const gift = (productId: number, changes: object = {}) => ({
  productId,
  productName: `Nimbus US ${productId}`,
  denominationType: "FIXED",
  recipientCurrencyCode: "USD",
  senderCurrencyCode: "USD",
  senderFee: 0.05,
  fixedRecipientDenominations: [10],
  fixedRecipientToSenderDenominationsMap: { "10.00": 9.7 },
  brand: { brandName: "Nimbus" },
  country: { isoName: "US" },
  ...changes,
});
const catalog = (...products: unknown[]) => JSON.stringify({ content: products });

test("odd products cost only themselves: each is named by number and field, and everything else is proposed and applied", async () => {
  const { id, answers } = await add("reloadly", "Odd ones");
  answers["/products"] = catalog(
    gift(1),
    gift(2, { productName: null }),
    gift(3, { fixedRecipientToSenderDenominationsMap: { "10.00": -9.7 } }),
    gift(4, { recipientCurrencyCode: "GOLD" }),
    gift(5, { fixedRecipientDenominations: [5, "<b>"], fixedRecipientToSenderDenominationsMap: { 5: 4.9 } }),
    gift(6, { productName: "line\nbreak", brand: {} }),
    gift(7, { denominationType: "RANGE", fixedRecipientDenominations: [] }),
    gift(8, { additionalRequirements: { userIdRequired: true } }),
    gift(9, { senderCurrencyCode: "XXQ" }),
    gift(10, { fixedRecipientDenominations: [1.005], fixedRecipientToSenderDenominationsMap: { 1.005: 1 } }),
    gift(1),
  );
  const { items, odd, oddCount, leftOut } = await proposeSync(deps, id);
  assert.deepEqual(said(items), ["new 1@10 nimbus-us-10", "new 5@5 nimbus-us-5"]);
  assert.deepEqual(leftOut, { range: 1, account_data: 1 });
  assert.deepEqual(
    odd.map(({ number, field }) => `${number} ${field}`),
    [
      ...["2 productName", "3@10 fixedRecipientToSenderDenominationsMap", "4 recipientCurrencyCode"],
      ...["5 fixedRecipientDenominations", "9@10 senderCurrencyCode", "1@10 id", "6@10 name"],
      "10@1.005 faceValue.amount",
    ],
  );
  assert.equal(oddCount, odd.length);
  assert.equal(odd[1]?.reason, "is negative");
  assert.doesNotMatch(JSON.stringify(odd), /GOLD|XXQ|<b>/, "nothing of the answer is quoted");
  assert.deepEqual(await apply(id), { new: 2, gone: 0, repriced: 0, skipped: 0 });
});

test("a route whose product is odd, or that a list with unnumbered rows lacks, is not taken for gone", async () => {
  const { id, answers } = await add("reloadly", "Kept routes");
  answers["/products"] = catalog(gift(21), gift(22), gift(23), gift(24));
  await proposeSync(deps, id);
  assert.equal((await apply(id)).new, 4);
  answers["/products"] = catalog(gift(21, { productName: "" }), gift(22, { senderFee: null }), gift(23));
  assert.deepEqual(
    (await proposeSync(deps, id)).items.map((item) => `${item.change} ${item.id}`),
    ["gone 24@10"],
  );
  answers["/products"] = catalog(gift(23), { productName: "Whose is it?" });
  const { items, odd, unchanged } = await proposeSync(deps, id);
  assert.deepEqual(items, []);
  assert.equal(unchanged, 4);
  assert.deepEqual(odd.map(({ number = "-", field, reason }) => `${number} ${field} ${reason}`).sort(), [
    "- productId is missing or not a number",
    ...["21@10", "22@10", "24@10"].map(
      (one) => `${one} id was not found, but the list has rows without a number; its route stays`,
    ),
  ]);
});

test("ids are stable from proposal to apply, never taken twice, and those that a person chose", async () => {
  await addProducts(db, [{ id: "zephyr-us-10" }]);
  const [one, other] = [await add("reloadly", "Zephyr one"), await add("reloadly", "Zephyr two")];
  const zephyr = (productId: number) => gift(productId, { brand: { brandName: "Zephyr" } });
  one.answers["/products"] = catalog(zephyr(31), zephyr(32));
  other.answers["/products"] = catalog(zephyr(32));
  const first = await proposeSync(deps, one.id);
  assert.deepEqual(said(first.items), ["new 31@10 zephyr-us-10-2", "new 32@10 zephyr-us-10-3"]);
  const second = await proposeSync(deps, other.id);
  assert.deepEqual(said(second.items), ["new 32@10 zephyr-us-10-4"], "nor those of another proposal");
  one.answers["/products"] = catalog(zephyr(32), zephyr(31));
  const again = await proposeSync(deps, one.id, { renames: new Map([["31@10", "zephyr-gold"]]) });
  assert.deepEqual(said(again.items), ["new 32@10 zephyr-us-10-3", "new 31@10 zephyr-gold"]);
  assert.deepEqual(said((await proposeSync(deps, one.id)).items), said(again.items), "read again");

  const refusals: [string, string, RegExp][] = [
    ["31@10", "zephyr-us-10", /there is a product zephyr-us-10 already/],
    ["31@10", "zephyr-us-10-3", /two new products have the id zephyr-us-10-3/],
    ["31@10", "zephyr gold", /can contain only/],
    ["99@10", "zephyr-99", /has no new product "99@10"/],
  ];
  for (const [item, productId, reason] of refusals)
    await assert.rejects(apply(one.id, { renames: new Map([[item, productId]]) }), reason);
  await apply(one.id, { only: ["32@10"], renames: new Map([["32@10", "zephyr-silver"]]) });
  await addProducts(db, [{ id: "zephyr-gold", name: "Somebody else's" }]);
  assert.deepEqual(await apply(one.id), { new: 0, gone: 0, repriced: 0, skipped: 1 });
  const products = await db.rows<{ id: string; name: string }>(
    sql`select id, name from products where id like 'zephyr-%' order by id`,
  );
  assert.deepEqual(products, [
    { id: "zephyr-gold", name: "Somebody else's" },
    { id: "zephyr-silver", name: "Nimbus US 32 10 USD" },
    { id: "zephyr-us-10", name: "Product zephyr-us-10" },
  ]);
});

test("an item that is gone and comes back is the same product again", async () => {
  const { id, answers } = await add("reloadly", "Comes and goes");
  answers["/products"] = catalog(gift(41, { brand: { brandName: "Tide" } }));
  await proposeSync(deps, id);
  await apply(id);
  answers["/products"] = catalog(gift(42));
  await proposeSync(deps, id);
  await apply(id, { only: ["gone"] });
  answers["/products"] = catalog(gift(41, { brand: { brandName: "Tide" }, productName: "Renamed there" }));
  const { items } = await proposeSync(deps, id);
  assert.deepEqual(said(items), ["new 41@10 tide-us-10"]);
  assert.deepEqual(await apply(id), { new: 1, gone: 0, repriced: 0, skipped: 0 });
  const names = await db.rows<{ name: string }>(sql`select name from products where id like 'tide-%'`);
  assert.deepEqual(names, [{ name: "Nimbus US 41 10 USD" }], "one product, with its own text");
});

test("a change of currency shows both currencies", async () => {
  const { id, answers } = await add("reloadly", "Another currency");
  answers["/products"] = catalog(gift(51));
  await proposeSync(deps, id);
  await apply(id);
  answers["/products"] = catalog(gift(51, { senderCurrencyCode: "EUR" }));
  const { items } = await proposeSync(deps, id);
  assert.deepEqual(items.map(costText), ["9.75 USD → 9.75 EUR"]);
});

test("a list without an end is read as far as it goes, and a page that is no list changes nothing", async () => {
  const { id, answers } = await add("reloadly", "Endless");
  const page = (start: number) => catalog(...Array.from({ length: 200 }, (_, index) => gift(start + index)));
  answers["/products"] = page(1_000);
  const { items, odd, leftOut } = await proposeSync(deps, id);
  assert.equal(items.length, 200);
  assert.deepEqual([odd.length, leftOut], [1, {}]);
  assert.deepEqual(odd[0], { field: "page", reason: "2 repeats an earlier page; the list ends there" });
  answers["/products"] = ({ query }) =>
    query.get("page") === "1" ? page(1_000) : "<!doctype html><title>Maintenance</title>";
  await assert.rejects(
    proposeSync(deps, id),
    /no usable answer \(nonsense\) on page 2 of its list: the supplier's answer makes no sense/,
  );
  assert.equal((await apply(id)).new, 200, "the proposal of before is still there");
});

/** A product of DT One. */
const topUp = (id: number, changes: object = {}) => ({
  id,
  name: `Gems ${id}`,
  type: "FIXED_VALUE_RECHARGE",
  operator: { name: "Gem Quest", country: { iso_code: "MEX" } },
  destination: { amount: 100, unit: "MXN", unit_type: "CURRENCY" },
  prices: { wholesale: { amount: 5.1, fee: 0, unit: "USD" } },
  required_credit_party_identifier_fields: [["mobile_number"]],
  ...changes,
});

test("DT One: countries of three letters are countries, and what can only fail is left out and counted", async () => {
  const { id, answers } = await add("dtone", "Top-ups");
  answers["/v1/products"] = JSON.stringify([
    topUp(1),
    topUp(2, { required_credit_party_identifier_fields: [["iban"], ["mobile_number"]] }),
    topUp(3, { required_sender_fields: [["first_name"]] }),
    topUp(4, { required_beneficiary_fields: [["last_name"]] }),
    topUp(5, { required_credit_party_identifier_fields: [["iban"]] }),
    topUp(6, { type: "RANGED_VALUE_RECHARGE", destination: { amount: { min: 1, max: 9 }, unit: "MXN" } }),
    topUp(7, { destination: { amount: 5, unit: "GB", unit_type: "DATA" } }),
    topUp(8, {
      operator: { name: "Gem Quest", country: { iso_code: "ZZZ" } },
      destination: { amount: 7, unit: "MXN" },
    }),
  ]);
  const { items, leftOut, odd } = await proposeSync(deps, id);
  assert.deepEqual(said(items), ["new 1 gem-quest-mx-100", "new 2 gem-quest-mx-100-2", "new 8 gem-quest-7"]);
  assert.deepEqual(leftOut, { sender_data: 2, account_data: 1, range: 1 });
  assert.deepEqual(odd, [{ number: "7", field: "destination.unit", reason: "is missing or not a currency" }]);
  const [first] = items;
  assert.ok(first?.change === "new");
  assert.deepEqual([first.product.country, first.product.type], ["MX", "top_up"]);
});

test("of several balances the odd ones are named, and one that can be read is taken", async () => {
  const { id, answers } = await add("dtone", "Balances");
  answers["/v1/products"] = JSON.stringify([{}, topUp(1)]);
  answers["/v1/balances"] = JSON.stringify([
    { id: 1, unit: "USD", unit_type: "CURRENCY", available: "much" },
    { id: 2, unit: "EUR", unit_type: "CURRENCY", available: 12.5 },
  ]);
  const tested = await testSupplier(deps, id);
  assert.deepEqual([tested.ok, tested.balance?.amount, tested.balance?.currency], [true, 1_250, "EUR"]);
  assert.deepEqual(tested.odd, [{ number: "1", field: "available", reason: "is not an amount" }]);
  assert.equal(tested.product?.sku, "1");
  answers["/v1/balances"] = JSON.stringify([{ id: 1, unit: "USD", available: -3 }]);
  const negative = await testSupplier(deps, id);
  assert.deepEqual(
    [negative.ok, negative.reason],
    [false, "the balance could not be read: 1, available is negative"],
  );
});
