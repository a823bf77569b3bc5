import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { newId } from "../../testing/builders/new-id.ts";
import { audit } from "../audit/audit.ts";
import type { Tx } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { moveFunds } from "./move-funds.ts";
import { openMissingWallets } from "./open-wallets.ts";
import { findWallet, listEntryRows } from "./queries.ts";

const START_MS = Date.UTC(2030, 0, 31);

let scrip: TestApp;
let nowMs = START_MS;

before(async () => {
  scrip = await createTestApp({ clock: { now: () => new Date(nowMs) } });
});

after(async () => {
  const { ok, invariants } = await audit(scrip.db);
  await scrip.close();
  assert.ok(ok, JSON.stringify(invariants));
});

async function addWallet(currency = "USD"): Promise<Tenant> {
  return { resellerId: (await scrip.addReseller({ currency })).id, environment: "live" };
}

const credit = (tenant: Tenant, amount: string, note = "") =>
  moveFunds(scrip.db, scrip.clock, tenant, { direction: "credit", amount, note });
const debit = (tenant: Tenant, amount: string, note = "") =>
  moveFunds(scrip.db, scrip.clock, tenant, { direction: "debit", amount, note });

const statementOf = (tenant: Tenant) => listEntryRows(scrip.db, tenant, { before: undefined, limit: 1_000 });
const balanceOf = async (tenant: Tenant) => (await findWallet(scrip.db, tenant))?.balanceMinor;

test("a credit becomes a deposit and a debit an adjustment, with the exact amount and note", async () => {
  const tenant = await addWallet();
  const first = await credit(tenant, "0.29", "bank transfer | 7 💶");
  const second = await debit(tenant, "0.1");
  assert.deepEqual([first.balanceMinor, second.balanceMinor, second.currency], [29n, 19n, "USD"]);
  const shown = (await statementOf(tenant)).map((row) => [
    row.id,
    row.type,
    row.amountMinor,
    row.balanceAfterMinor,
    row.note,
  ]);
  assert.deepEqual(shown, [
    [second.entryId, "adjustment", -10n, 19n, null],
    [first.entryId, "deposit", 29n, 29n, "bank transfer | 7 💶"],
  ]);
});

test("an amount that is zero or inexact in the wallet's currency moves nothing", async () => {
  for (const [currency, refused] of [
    ["USD", ["1.001", "0", "0.00", "-1", "1e3", "", " 1", "90071992547409.92"]],
    ["JPY", ["1.0", "0"]],
    ["KWD", ["1.0001"]],
  ] as const) {
    const tenant = await addWallet(currency);
    for (const amount of refused)
      await assert.rejects(credit(tenant, amount), RangeError, `${amount} ${currency}`);
    assert.deepEqual([await balanceOf(tenant), await statementOf(tenant)], [0n, []]);
  }
});

test("a wallet accepts up to the largest exact JSON integer and pays out at most its balance", async () => {
  const tenant = await addWallet();
  await assert.rejects(debit(tenant, "0.01"), /the balance is 0.00 USD, less than 0.01/);
  await credit(tenant, "90071992547409.91");
  await assert.rejects(
    credit(tenant, "0.01"),
    /the balance is 90071992547409.91 USD and cannot grow by 0.01/,
  );
  await debit(tenant, "90071992547409.91");
  assert.equal(await balanceOf(tenant), 0n);
  assert.equal((await statementOf(tenant)).length, 2);
});

test("a note has at most 500 characters, counted as Unicode characters", async () => {
  const tenant = await addWallet();
  await credit(tenant, "1", "💶".repeat(500));
  await assert.rejects(credit(tenant, "1", "x".repeat(501)), /at most 500 characters/);
  assert.equal((await statementOf(tenant))[0]?.note, "💶".repeat(500));
});

test("a missing wallet is an error", async () => {
  const nobody: Tenant = { resellerId: "rsl_none", environment: "test" };
  await assert.rejects(credit(nobody, "1"), /rsl_none has no test wallet/);
});

test("a test wallet starts with one million of its currency, a live wallet with zero", async () => {
  for (const [currency, amountMinor] of [
    ["USD", 100_000_000n],
    ["JPY", 1_000_000n],
    ["KWD", 1_000_000_000n],
  ] as const) {
    const live = await addWallet(currency);
    const sandbox = { ...live, environment: "test" } as const;
    assert.deepEqual([await balanceOf(live), await balanceOf(sandbox)], [0n, amountMinor]);
    const [entry, ...others] = await statementOf(sandbox);
    assert.deepEqual([entry?.type, entry?.amountMinor, others.length], ["deposit", amountMinor, 0]);
  }
});

test("20 concurrent credits and 20 debits are all applied in sequence, and no money appears", async () => {
  const tenant = await addWallet();
  const moves = Array.from({ length: 20 }, (_, index) => [
    credit(tenant, `${index + 1}.00`),
    debit(tenant, "15.00").catch((error) => assert.match(String(error), /less than 15.00/)),
  ]).flat();
  const moved = (await Promise.all(moves)).filter((one) => one !== undefined);
  const rows = (await statementOf(tenant)).toReversed();
  assert.equal(rows.length, moved.length);
  const debits = rows.filter((row) => row.type === "adjustment").length;
  assert.equal(rows.length - debits, 20, "every credit was booked");
  assert.equal(await balanceOf(tenant), BigInt(210_00 - debits * 15_00));
  for (const [index, row] of rows.entries()) {
    assert.equal(row.sequence, BigInt(index + 1));
    assert.equal(row.balanceAfterMinor, (rows[index - 1]?.balanceAfterMinor ?? 0n) + row.amountMinor);
  }
});

test("a clock that is set back does not reorder the statement", async () => {
  const tenant = await addWallet();
  nowMs = START_MS + 60_000;
  await credit(tenant, "1");
  nowMs = START_MS;
  await credit(tenant, "2");
  nowMs = START_MS + 60_001;
  await credit(tenant, "3");
  const times = (await statementOf(tenant)).map((row) => row.createdAt.getTime() - START_MS);
  assert.deepEqual(times, [60_001, 60_000, 60_000]);
});

test("resellers without wallets get them once, even if several servers start at the same time", async () => {
  const ids = Array.from({ length: 5 }, () => newId("rsl"));
  await scrip.db.rows(sql`
    insert into resellers (id, name, currency, email, price_list, created_at)
    select id, 'Old', 'KWD', 'old@reseller.example', 'standard', now() from unnest(${ids}::text[]) id`);
  const half: Tenant = { resellerId: ids[0] ?? "", environment: "live" };
  await Promise.all(Array.from({ length: 6 }, () => openMissingWallets(scrip.db, scrip.clock)));
  await openMissingWallets(scrip.db, scrip.clock);
  for (const resellerId of ids) {
    assert.equal(await balanceOf({ resellerId, environment: "live" }), 0n);
    assert.equal(await balanceOf({ resellerId, environment: "test" }), 1_000_000_000n);
  }
  // Only the missing wallet is opened. The other keeps its balance.
  await credit({ ...half, environment: "test" }, "1");
  await scrip.db.rows(
    sql`delete from wallets where reseller_id = ${half.resellerId} and environment = 'live'`,
  );
  await openMissingWallets(scrip.db, scrip.clock);
  assert.equal(await balanceOf(half), 0n);
  assert.equal(await balanceOf({ ...half, environment: "test" }), 1_000_001_000n);
});

test("when the answer to a movement is lost, the error names the entry to look for", async () => {
  const tenant = await addWallet();
  const away = Object.assign(new Error("terminating connection"), { code: "57P01" });
  const lossy = {
    ...scrip.db,
    transaction: async <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> => {
      await scrip.db.transaction(work);
      throw away;
    },
  };
  const error = await moveFunds(lossy, scrip.clock, tenant, {
    direction: "credit",
    amount: "1",
    note: "",
  }).then(
    () => assert.fail("the answer was lost"),
    (thrown: Error) => thrown,
  );
  const [entry] = await statementOf(tenant);
  assert.ok(entry && error.message.includes(`whether ${entry.id} was booked`), error.message);
});
