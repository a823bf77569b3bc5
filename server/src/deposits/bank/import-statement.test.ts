import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  bankCsv,
  bytesOf,
  crashAtStatement,
  openDepositDesk,
} from "../../../testing/deposits/deposit-desk.ts";
import { COMMAND } from "../../../testing/people/people-desk.ts";
import { wideTest } from "../../../testing/wide-test.ts";
import { audit } from "../../audit/audit.ts";
import { creditDeposit } from "../credit-deposit.ts";
import { createReference, showReference } from "../reference.ts";
import { importStatement, previewStatement } from "./import-statement.ts";

const desk = await openDepositDesk();
const { db, deps, request, importFile, find, balance, ana, ben } = desk;
after(async () => {
  const { ok, invariants } = await audit(db);
  await desk.drop();
  assert.ok(ok, JSON.stringify(invariants.filter((one) => !one.ok)));
});

const DAY = "2030-01-02";
const preview = (text: string) => previewStatement(db, bytesOf(text));
const resultsOf = async (text: string) => (await preview(text)).map(({ result }) => result);

test("an exact payment is proposed, then received and credited; the same file again changes nothing", async () => {
  const { id, reference } = await request(50_000n);
  const file = bankCsv([
    [DAY, "500.00", "USD", `Corner Shop ${showReference(reference).toLowerCase()} thanks`],
  ]);
  const before = await balance();
  assert.deepEqual(await resultsOf(file), ["exact"]);
  assert.equal((await find(id)).status, "requested", "a preview changes nothing");
  const { applied } = await importFile(file);
  assert.deepEqual(applied, [{ depositId: id, rows: [2], outcome: "credited", detail: "Credited." }]);
  const again = await importFile(file);
  assert.deepEqual(again.applied, []);
  assert.deepEqual(
    again.matches.map(({ result }) => result),
    ["already_recorded"],
  );
  assert.equal(await balance(), before + 50_000n);
});

test("two imports of one file at once credit once", async () => {
  const { id, reference } = await request(50_000n);
  const file = bankCsv([[DAY, "500.00", "USD", reference, "bank-1"]]);
  const before = await balance();
  const matches = await Promise.all([1, 2, 3, 4].map(() => importFile(file)));
  const credited = matches.flatMap(({ applied }) => applied).filter(({ outcome }) => outcome === "credited");
  assert.equal(credited.length, 1);
  assert.equal(await balance(), before + 50_000n);
  assert.equal((await find(id)).status, "credited");
});

test("a crash at every statement of an import, and the import again, credits once", async () => {
  let points = 0;
  for (let point = 1; ; point += 1) {
    const { id, reference } = await request(30_000n);
    const file = bankCsv([
      [DAY, "100.00", "USD", reference, `a-${point}`],
      ["2030-01-09", "200.00", "USD", reference, `b-${point}`],
    ]);
    const before = await balance();
    const crashing = crashAtStatement(db, point);
    const run = (by: typeof db) => importStatement({ ...deps, db: by }, bytesOf(file), new Set(), ana);
    await run(crashing.db).catch(() => {});
    assert.ok(["requested", "credited"].includes((await find(id)).status), `crashed at ${point}`);
    await run(db);
    assert.equal((await find(id)).status, "credited", `crashed at ${point}`);
    assert.equal(await balance(), before + 30_000n);
    if (crashing.passed() < point) break;
    points = point;
  }
  assert.ok(points > 12, `${points} points`);
});

test("partial and too large payments are received and shown, and a person credits what arrived", async () => {
  const less = await request(50_000n);
  const more = await request(50_000n);
  const file = bankCsv([
    [DAY, "499.99", "USD", less.reference],
    [DAY, "500.01", "USD", more.reference],
  ]);
  const { matches, applied } = await importFile(file);
  assert.deepEqual(
    matches.map(({ result, detail }) => [result, detail]),
    [
      ["partial", "499.99 USD of 500.00 USD; 0.01 USD are missing."],
      ["over", "500.01 USD for 500.00 USD; 0.01 USD too much."],
    ],
  );
  assert.deepEqual(
    applied.map(({ outcome }) => outcome),
    ["received", "received"],
  );
  const before = await balance();
  // The rest arrives days later and completes the deposit.
  await importFile(bankCsv([["2030-01-20", "0.01", "USD", less.reference]]));
  assert.equal((await find(less.id)).status, "credited");
  await creditDeposit(deps, more.id, ana);
  assert.equal(await balance(), before + 50_000n + 50_001n);
});

test("rows that need a person are named, each for its reason, and nothing of them is credited", async () => {
  const one = await request(10_000n);
  const wrong = `${one.reference.slice(0, 2)}${one.reference.slice(2, 4) === "11" ? "12" : "11"}${one.reference.slice(4)}`;
  const euro = await request(10_000n);
  const taken = await request(10_000n);
  await desk.receive(taken.id);
  const before = await balance();
  const { matches, applied } = await importFile(
    bankCsv([
      [DAY, "100.00", "USD", wrong],
      [DAY, "100.00", "EUR", euro.reference],
      [DAY, '"100,00"', "USD", one.reference],
      [DAY, "1.000", "USD", one.reference],
      ["02/01/2030", "100.00", "USD", one.reference],
      ["2030-02-30", "100.00", "USD", one.reference],
      [DAY, "100.00", "USD", createReference("live")],
      [DAY, "100.00", "USD", createReference("test")],
      [DAY, "100.00", "USD", "Rent"],
      [DAY, "100.00", "USD", `${one.reference} ${euro.reference}`],
      [DAY, "-100.00", "USD", one.reference],
      [DAY, "100.00", "USD", taken.reference],
      [DAY, "100.00", "XXY", one.reference],
    ]),
  );
  assert.deepEqual(
    matches.map(({ row, result }) => `${row} ${result}`),
    [
      "2 wrong_checksum",
      "3 other_currency",
      "4 bad_row",
      "5 bad_row",
      "6 bad_row",
      "7 bad_row",
      "8 unknown_reference",
      "9 test_reference",
      "10 no_reference",
      "11 several_references",
      "12 skipped",
      "13 already_received",
      "14 bad_row",
    ],
  );
  assert.match(matches[2]?.detail ?? "", /has a comma; write the amount like 1000\.00/);
  assert.deepEqual(applied, []);
  assert.equal(await balance(), before);
});

test("a doubled line counts once; a person can say that it is a second payment", async () => {
  const once = await request(10_000n);
  const line = [DAY, "100.00", "USD", once.reference] as const;
  const first = await importFile(bankCsv([line, line]));
  assert.deepEqual(
    first.matches.map(({ result }) => result),
    ["exact", "doubled"],
  );
  assert.equal((await find(once.id)).receivedMinor, 10_000n);

  const twice = await request(20_000n);
  const equal = [DAY, "100.00", "USD", twice.reference] as const;
  await importFile(bankCsv([equal, equal]));
  assert.equal((await find(twice.id)).status, "received");
  // The next export overlaps: the first line is known, and the person names the second.
  const overlapping = bankCsv([["2029-12-31", "5.00", "USD", "Rent"], equal, equal]);
  assert.deepEqual(await resultsOf(overlapping), ["no_reference", "already_recorded", "doubled"]);
  await importFile(overlapping, [4]);
  await importFile(overlapping, [4]);
  assert.equal((await find(twice.id)).status, "credited");
  assert.equal((await find(twice.id)).receivedMinor, 20_000n);

  const named = await request(20_000n);
  const same = [DAY, "100.00", "USD", named.reference, "bank-7"] as const;
  await importFile(bankCsv([same, same]), [3]);
  assert.equal((await find(named.id)).receivedMinor, 10_000n, "the bank says that it is one line");
});

test("the same payment in another kind of file needs a person", async () => {
  const { id, reference } = await request(120_000n);
  await importFile(bankCsv([[DAY, "600.00", "USD", reference, "bank-9"]]));
  const other = bankCsv([["2030-01-03", "600.00", "USD", reference]]);
  assert.deepEqual(await resultsOf(other), ["doubled"]);
  await importFile(other);
  assert.equal((await find(id)).receivedMinor, 60_000n);
});

test("a bank reference that returns with another amount is named, never counted", async () => {
  const { id, reference } = await request(20_000n);
  await importFile(bankCsv([[DAY, "100.00", "USD", reference, "bank-11"]]));
  const changed = bankCsv([[DAY, "200.00", "USD", reference, "bank-11"]]);
  assert.deepEqual(await resultsOf(changed), ["doubled"]);
  await importFile(changed, [2]);
  assert.equal((await find(id)).receivedMinor, 10_000n);
});

test("a payment after the credit, or after a rejection, is named", async () => {
  const { reference } = await request(10_000n);
  await importFile(bankCsv([[DAY, "100.00", "USD", reference]]));
  assert.deepEqual(await resultsOf(bankCsv([["2030-02-02", "100.00", "USD", reference]])), [
    "already_credited",
  ]);
});

test("above the limit an import proposes for a person, and only receives for the command", async () => {
  const one = await request(100_001n);
  const other = await request(100_001n);
  const before = await balance();
  const file = (reference: string) => bankCsv([[DAY, "1000.01", "USD", reference]]);
  assert.equal((await importFile(file(one.reference))).applied[0]?.outcome, "proposed");
  const byCommand = await importFile(file(other.reference), [], COMMAND);
  assert.deepEqual([byCommand.applied[0]?.outcome, (await find(other.id)).status], ["received", "received"]);
  assert.equal(await balance(), before);
  assert.ok("proposed" in (await creditDeposit(deps, other.id, ben)));
});

wideTest("a file that is too large is refused as soon as it is", async () => {
  async function* endless() {
    yield Buffer.from("date,amount,currency,text,id\n");
    for (;;) yield Buffer.from(`${DAY},1.00,USD,${"x".repeat(60_000)},y\n`);
  }
  async function* endlessXml() {
    yield Buffer.from("<Document>");
    for (;;) yield Buffer.alloc(1_048_576, " ");
  }
  await assert.rejects(previewStatement(db, endless()), /larger than 64 MiB/);
  await assert.rejects(previewStatement(db, endlessXml()), /larger than 64 MiB/);
});

test("files that are no statement are refused as a whole", async () => {
  for (const [text, message] of [
    ["", /the file is empty/],
    ["date,amount\n", /missing column currency and reference; the columns are/],
    ["date,amount,Amount,currency,text\n", /two columns say the same: amount and Amount/],
  ] as const)
    await assert.rejects(preview(text), message);
  assert.deepEqual(await resultsOf("Booking Date;Amount;Currency;Text\n2030-01-02;1.00;USD;Rent;x\n"), [
    "bad_row",
  ]);
});
