import assert from "node:assert/strict";
import { after, test } from "node:test";
import { addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import { createHandClock } from "../../testing/hand-clock.ts";
import { secret } from "../lib/secret.ts";
import { findBalance, readNextBalance, setLowBalance } from "./read-balances.ts";
import { createScripSupplier } from "./scrip/scrip-supplier.ts";
import type { RemoteSupplier } from "./supplier.ts";

const { db, drop } = await createTestDatabase();
after(drop);
const clock = createHandClock(new Date("2030-01-01T00:00:00Z"));

const setLow = (id: string, amount: string) =>
  setLowBalance({ db, clock }, id, amount, { actor: { kind: "command", id: "scrip" } });

test("each called supplier is asked once in five minutes, and an unusable answer keeps the last balance", async () => {
  const one = await addSupplierRow(db, { kind: "scrip" });
  const other = await addSupplierRow(db, { kind: "scrip" });
  await addSupplierRow(db, { kind: "stock" });
  await addSupplierRow(db, { kind: "scrip", enabled: false });
  const asked: string[] = [];
  let answer: { amountMinor: bigint; currency: string } | undefined = {
    amountMinor: 1_250n,
    currency: "USD",
  };
  const openSupplier = async (id: string) => {
    asked.push(id);
    const supplier = (
      id === one ? { readBalance: async () => answer && { balance: answer } } : {}
    ) as RemoteSupplier;
    return { supplier, hasFailed: false };
  };
  const readAll = async () => {
    while (await readNextBalance({ db, clock, openSupplier }));
  };
  await Promise.all([readAll(), readAll()]);
  assert.deepEqual(asked.toSorted(), [one, other].toSorted());
  const first = { balanceMinor: 1_250n, currency: "USD", balanceAt: clock.now(), lowMinor: null };
  assert.deepEqual(await findBalance(db, one), first);
  assert.equal((await findBalance(db, other))?.balanceMinor, null);
  answer = undefined;
  clock.advance(5 * 60_000 - 1);
  await readAll();
  assert.equal(asked.length, 2);
  clock.advance(1);
  await readAll();
  assert.equal(asked.length, 4);
  assert.deepEqual(await findBalance(db, one), first);

  await setLow(one, "500.00");
  assert.equal((await findBalance(db, one))?.lowMinor, 50_000n);
  await setLow(one, "");
  assert.equal((await findBalance(db, one))?.lowMinor, null);
  await assert.rejects(setLow(other, "5.00"), /has not told its balance yet/);
  await assert.rejects(setLow(one, "5.001"), /too many decimals/);
});

test("another Scrip tells its balance; an error or nonsense is no balance", async () => {
  const ask = (body: unknown, status = 200) => {
    const fetch = async () => Response.json(body, { status });
    const config = { baseUrl: "https://up.example", apiKey: secret(`sc_live_${"k".repeat(38)}`), fetch };
    return createScripSupplier(config).readBalance?.();
  };
  const money = { amount: 990, currency: "EUR", minorUnitExponent: 2 };
  const asOf = "2030-01-01T00:00:00Z";
  assert.deepEqual(await ask({ balance: money, asOf }), { balance: { amountMinor: 990n, currency: "EUR" } });
  assert.equal(await ask({ balance: { ...money, currency: "BEANS" }, asOf }), undefined);
  assert.equal(await ask({ balance: { ...money, amount: -1 }, asOf }), undefined);
  assert.equal(await ask({ detail: "no" }, 403), undefined);
  assert.equal(await ask("hello"), undefined);
});
