import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import { createHandClock } from "../../testing/hand-clock.ts";
import { openFake, startSupplierFake } from "../../testing/upstream/supplier-fakes.ts";
import type { By } from "../activity/record-activity.ts";
import { setEnabled } from "../suppliers/enable-supplier.ts";
import { setRateFeed } from "../suppliers/set-rate-feed.ts";
import { type RemoteSupplier, SupplierUnreadable } from "../suppliers/supplier.ts";
import { createLastRateTable, createRateTable } from "./choose-rate.ts";
import { formatDecimal } from "./fraction.ts";
import { listCurrentRates } from "./queries.ts";
import { refreshNextFeed } from "./refresh-feeds.ts";
import { setRate } from "./set-rate.ts";

const { db, drop } = await createTestDatabase();
after(drop);
const clock = createHandClock(new Date("2030-01-15T12:00:00Z"));
const HOUR_MS = 3_600_000;
const BY: By = { actor: { kind: "command", id: "scrip" } };

const ask = async (base: string, quote: string): Promise<string> => {
  const answer = createRateTable(await listCurrentRates(db), clock.now(), 24 * HOUR_MS)(base, quote);
  return answer.kind === "rate" ? formatDecimal(answer.rate.value, 12) : answer.kind;
};

test("the rates of a supplier are used when the operator says so, are read in turns, and end when it falls silent", async (t) => {
  const shop = await startSupplierFake("bamboo", { seed: 1 });
  t.after(() => shop.fake.close());
  const honest = openFake(shop, 5_000);
  let supplier: RemoteSupplier = honest;
  let opened = 0;
  const openSupplier = async () => {
    opened += 1;
    return { supplier, hasFailed: false };
  };
  const refresh = () => refreshNextFeed({ db, clock, openSupplier });
  const id = await addSupplierRow(db, { kind: "bamboo" });
  assert.equal(await refresh(), false, "nobody has asked for it");

  await setRateFeed({ db, clock }, id, true, BY);
  await Promise.all([refresh(), refresh()]);
  assert.equal(opened, 1, "one process reads it");
  assert.equal(await ask("USD", "EUR"), "0.9215", "rounded half up to twelve decimals");
  assert.equal(await ask("USD", "XXQ"), "missing", "a currency that ISO 4217 does not know is left out");
  assert.equal(await refresh(), false);

  clock.advance(6 * HOUR_MS);
  supplier = {
    ...honest,
    readRates: async () => {
      throw new SupplierUnreadable("nonsense");
    },
  };
  await assert.rejects(refresh(), /no usable answer \(nonsense\)/);
  assert.equal(await refresh(), false, "it is due again in an hour");
  assert.equal(await ask("USD", "EUR"), "0.9215", "the last one is used");
  clock.advance(18 * HOUR_MS);
  assert.equal(await ask("USD", "EUR"), "stale");
  supplier = {
    ...honest,
    readRates: async () => [
      { base: "USD", quote: "EUR", rate: "0.93" },
      { base: "USD", quote: "VND", rate: "0.0000000000001" },
      { base: "USD", quote: "IRR", rate: "1234567890123" },
    ],
  };
  assert.equal(await refresh(), true);
  assert.deepEqual(
    [await ask("USD", "EUR"), await ask("USD", "VND"), await ask("USD", "IRR")],
    ["0.93", "missing", "missing"],
  );

  clock.advance(6 * HOUR_MS);
  await setEnabled(db, clock, id, false);
  assert.equal(await refresh(), false, "a disabled supplier is not asked");
});

test("a feed that is switched off is not used any more, not even its last rates, and prices are worked out again", async (t) => {
  const shop = await startSupplierFake("bamboo", { seed: 1 });
  t.after(() => shop.fake.close());
  const openSupplier = async () => ({ supplier: openFake(shop, 5_000), hasFailed: false });
  const id = await addSupplierRow(db, { kind: "bamboo" });
  const switchFeed = async (isUsed: boolean): Promise<number> => {
    await db.rows(sql`delete from price_changes`);
    await setRateFeed({ db, clock }, id, isUsed, BY);
    return (await db.rows(sql`select from price_changes where product_id = ''`)).length;
  };
  const askLast = async (): Promise<string> => {
    const answer = createLastRateTable(await listCurrentRates(db), clock.now(), 0)("USD", "EUR");
    return answer.kind === "rate" ? formatDecimal(answer.rate.value, 12) : answer.kind;
  };
  await db.rows(sql`update suppliers set feeds_rates = false where id <> ${id}`);
  assert.equal(await switchFeed(true), 1);
  assert.equal(await switchFeed(true), 0, "nothing has changed");
  await refreshNextFeed({ db, clock, openSupplier });
  assert.deepEqual([await ask("USD", "EUR"), await askLast()], ["0.9215", "0.9215"]);

  assert.equal(await switchFeed(false), 1);
  assert.deepEqual([await ask("USD", "EUR"), await askLast()], ["missing", "missing"]);
  assert.equal(await switchFeed(true), 1);
  assert.equal(await ask("USD", "EUR"), "0.9215", "it is not too old yet");
  await switchFeed(false);
  await setRate(db, clock, BY, { pair: "USD/EUR", rate: "0.95", until: undefined });
  assert.equal(await ask("USD", "EUR"), "0.95", "a rate of no supplier is used");
});

test("a kind that tells no rates cannot be a source of them", async () => {
  const id = await addSupplierRow(db, { kind: "dtone" });
  await assert.rejects(
    setRateFeed({ db, clock }, id, true, BY),
    /a dtone supplier tells no exchange rates; bamboo does/,
  );
  await setRateFeed({ db, clock }, id, false, BY);
  await assert.rejects(setRateFeed({ db, clock }, "sup_none", true, BY), /no supplier/i);
});
