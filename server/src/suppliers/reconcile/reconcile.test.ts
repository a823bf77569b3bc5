import assert from "node:assert/strict";
import { test } from "node:test";
import { requestIdOf } from "../bamboo/request-id.ts";
import { sayOdd } from "../calls/checked-reading.ts";
import type { StatementEntry, StatementRow } from "../supplier.ts";
import { readStatementFile } from "./read-statement-file.ts";
import { type BookedPurchase, createReconciler, type Finding } from "./reconcile.ts";

const AT = new Date("2030-01-15T00:00:00Z");

const booked = (reference: string, changes: Partial<BookedPurchase> = {}): BookedPurchase => ({
  reference,
  upstreamId: null,
  status: "delivered",
  amountMinor: 80n,
  currency: "USD",
  openedAt: AT,
  isInPeriod: true,
  ...changes,
});
const entry = (reference: string, changes: Partial<StatementEntry> = {}): StatementEntry => ({
  reference,
  price: { amountMinor: 80n, currency: "USD" },
  state: "completed",
  at: AT,
  ...changes,
});
const usd = (amountMinor: bigint) => ({ price: { amountMinor, currency: "USD" } });

function reconcile(ours: BookedPurchase[], theirs: StatementRow[], keyOf = (text: string) => text) {
  const findings: Finding[] = [];
  const reconciler = createReconciler(ours, keyOf, (finding) => findings.push(finding));
  reconciler.add(theirs);
  return { ...reconciler.end(), findings: findings.map(({ kind, reference }) => `${kind} ${reference}`) };
}

test("each purchase is matched, missing on one side, different, charged twice, taken back, or still open here", () => {
  const ours = [
    ...[booked("same"), booked("quarantined", { status: "quarantined" }), booked("dearer"), booked("twice")],
    ...[booked("back"), booked("unknown-there"), booked("open", { status: "open" })],
    ...[booked("refused", { status: "refused" }), booked("other-day", { isInPeriod: false })],
    booked("by-id", { upstreamId: "u-1" }),
  ];
  const { reference: _, ...byId } = entry("", { upstreamId: "u-1" });
  const report = reconcile(ours, [
    ...[entry("same"), entry("quarantined"), entry("dearer", usd(93n)), entry("twice"), entry("twice")],
    ...[entry("back", { state: "reversed" }), entry("open"), entry("refused"), entry("stranger"), byId],
    ...[entry("failed", { state: "failed" }), entry("unknown-there", { state: "failed" })],
  ]);
  assert.deepEqual(report.findings, [
    "amount_differs dearer",
    "duplicate twice",
    "reversal back",
    "no_outcome_here open",
    "missing_here refused",
    "missing_here stranger",
    "missing_there unknown-there",
  ]);
  assert.equal(report.entries, 12);
  assert.equal(report.matched, 4);
  const [total] = report.totals;
  // Ours: same, quarantined, dearer, twice, back, unknown-there, by-id.
  assert.equal(total?.oursMinor, 560n);
  assert.equal(total?.theirsMinor, 80n * 8n + 93n);
  const explained = Object.values(total?.explained ?? {}).reduce((sum, one) => sum + one, 0n);
  assert.equal(total?.differenceMinor, explained);
  assert.deepEqual(total?.explained, {
    ...{ missing_there: -80n, missing_here: 160n, amount_differs: 13n, duplicate: 80n, reversal: -80n },
    no_outcome_here: 80n,
    unreadable: 0n,
  });
});

test("a charge and its reversal as two lines are one reversal, in either order, and add up to nothing paid", () => {
  const back = entry("back", { state: "reversed" });
  const sums = (theirs: StatementEntry[]) => {
    const { findings, totals, matched } = reconcile([booked("back")], theirs);
    const [total] = totals;
    return {
      findings,
      matched,
      ours: total?.oursMinor,
      theirs: total?.theirsMinor,
      explained: total?.explained,
    };
  };
  const alone = sums([back]);
  assert.deepEqual(alone.findings, ["reversal back"]);
  assert.deepEqual([alone.ours, alone.theirs, alone.explained?.reversal], [80n, 0n, -80n]);
  assert.deepEqual(sums([entry("back"), back]), { ...alone, matched: 1 });
  assert.deepEqual(sums([back, entry("back")]), alone);
  const dearer = usd(93n);
  const atAnotherPrice = sums([entry("back", dearer), entry("back", { ...dearer, state: "reversed" })]);
  assert.deepEqual(atAnotherPrice.findings, ["amount_differs back", "reversal back"]);
  assert.deepEqual([atAnotherPrice.ours, atAnotherPrice.theirs], [80n, 0n]);
  // Each is still told once, and a second charge is still found.
  assert.deepEqual(sums([entry("back"), back, back]), { ...alone, matched: 1 });
  assert.deepEqual(sums([back, entry("back"), entry("back")]).findings, ["reversal back", "duplicate back"]);
  assert.deepEqual(sums([entry("back", { state: "pending" }), back]), alone);
});

test("currencies are never added, and a purchase in another currency is all unexpected", () => {
  const report = reconcile(
    [booked("a"), booked("b")],
    [entry("a", { price: { amountMinor: 80n, currency: "EUR" } }), entry("b")],
  );
  assert.deepEqual(report.findings, ["amount_differs a"]);
  assert.deepEqual(
    report.totals.map(({ currency, oursMinor, theirsMinor }) => [currency, oursMinor, theirsMinor]),
    [
      ["EUR", 0n, 80n],
      ["USD", 80n, 80n],
    ],
  );
});

test("a supplier that keeps a request id of ours is matched by it", () => {
  const report = reconcile(
    [booked("ord_1.0.0.1")],
    [entry(requestIdOf("ord_1.0.0.1").toUpperCase())],
    requestIdOf,
  );
  assert.equal(report.matched, 1);
  assert.deepEqual(report.findings, []);
});

const read = async (text: string) => {
  const rows: StatementRow[] = [];
  for await (const page of readStatementFile(bytesOf(text))) rows.push(...page);
  return rows;
};
async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

test("a statement file is read exactly, and one without its columns is refused", async () => {
  const rows = await read(
    "id,reference,amount,currency,status,time\n7,ord_1.0.0.1,0.80,USD,Refunded,2030-01-15T00:00:00Z\n8,,9,JPY,,\n",
  );
  assert.deepEqual(rows, [
    {
      state: "reversed",
      price: { amountMinor: 80n, currency: "USD" },
      reference: "ord_1.0.0.1",
      upstreamId: "7",
      at: AT,
    },
    { state: "completed", price: { amountMinor: 9n, currency: "JPY" }, upstreamId: "8" },
  ]);
  await assert.rejects(read("reference,amount\na,1\n"), /line 1: missing column "currency"/);
  await assert.rejects(read(""), /line 1: the file is empty/);
});

test("a row of a statement file that cannot be read is named by line and column, and the rest is read", async () => {
  const rows = await read(
    "reference,amount,currency,status,time\ngood,1,USD,,\na,0.801,USD,,\nb,1,US,,\nc,1,USD,odd,\n,1,USD,,\nd,1,USD,,soon\ne,1\n",
  );
  const odd = rows.flatMap((row) => ("odd" in row ? [`${row.reference ?? "-"} ${sayOdd(row.odd)}`] : []));
  assert.deepEqual(odd, [
    "a line 3, amount is not a positive amount with the decimals of USD",
    "b line 4, currency is not an ISO 4217 currency such as USD",
    "c line 5, status is not completed, pending, failed or reversed",
    "- line 6, reference is missing; a row needs a reference or an id",
    "d line 7, time is not a time such as 2030-01-31T12:00:00Z",
    "- line 8 cannot be read: row has 2 cells, expected 5",
  ]);
  assert.equal(rows.length, odd.length + 1);
});

test("a line that cannot be read is a finding of its own: its purchase is not missing, and the sums hold", () => {
  const odd = (reference: string): StatementRow => ({
    reference,
    odd: { field: "status", reason: "is missing" },
  });
  const report = reconcile(
    [booked("same"), booked("odd"), booked("odd-and-charged"), booked("open", { status: "open" })],
    [
      entry("same"),
      odd("odd"),
      odd("odd"),
      odd("odd-and-charged"),
      entry("odd-and-charged"),
      odd("open"),
      odd("stranger"),
    ],
  );
  assert.deepEqual(report.findings, [
    ...["unreadable odd", "unreadable odd", "unreadable odd-and-charged", "unreadable open"],
    "unreadable stranger",
  ]);
  assert.deepEqual([report.entries, report.matched, report.counts.unreadable], [7, 2, 5]);
  const [total, ...others] = report.totals;
  assert.deepEqual(others, []);
  assert.deepEqual([total?.oursMinor, total?.theirsMinor, total?.explained.unreadable], [240n, 160n, -80n]);
});

test("100,000 lines are compared at once", () => {
  const count = 100_000;
  const ours = Array.from({ length: count }, (_, index) => booked(`ord_${index}.0.0.1`));
  const theirs = ours.map(({ reference }, index) => entry(reference, index % 1_000 === 0 ? usd(81n) : {}));
  const report = reconcile(ours, theirs);
  assert.equal(report.matched, count - 100);
  assert.equal(report.totals[0]?.differenceMinor, 100n);
});
