import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { CARD_PRICE_MINOR } from "../server/testing/builders/buyers.ts";
import type { Wanted } from "./callers.ts";
import type { FaultRow } from "./fault-run.ts";
import { acceptedForMs, unreadyAfterMs } from "./key-watch.ts";
import { findTwoLeaders, leadersInOrder, longestGapMs, type ProbeAck } from "./leaders.ts";
import {
  describeLoss,
  describeTable,
  EXTRA_OUTAGE_BOUND_MS,
  findRowFaults,
  REVOCATION_BOUND_MS,
} from "./report.ts";
import { compareOrders, type OrderRow } from "./verify.ts";
import { replaceBetween } from "./write-docs.ts";

const ack = (member: string, timeline: number, atMs: number): ProbeAck => ({
  id: `${member}-${atMs}`,
  via: "hosts",
  member,
  timeline,
  atMs,
});

const order = (number: number): Wanted => ({
  buyer: { resellerId: "rsl_1", environment: "test", keyId: "key_1", key: "" },
  idempotencyKey: `key-${number}`,
  quantity: 1,
  told: { id: `ord_${number}`, totalMinor: CARD_PRICE_MINOR, atMs: number },
});

const row = (number: number, more: Partial<OrderRow> = {}): OrderRow => ({
  id: `ord_${number}`,
  binding: `rsl_1 test key-${number}`,
  totalMinor: String(CARD_PRICE_MINOR),
  debits: 1,
  debitedMinor: String(-CARD_PRICE_MINOR),
  ...more,
});

const faultRow = (more: Partial<FaultRow> = {}): FaultRow => ({
  via: "hosts",
  fault: "freeze-both",
  leaders: ["db1", "db2"],
  plainOutageMs: 20_000,
  scripOutageMs: 20_400,
  revokedAcceptedMs: 0,
  unreadyAfterMs: 2_000,
  acknowledged: 500,
  lost: [],
  probeRowsLost: 0,
  hadTwoLeaders: false,
  isServing: true,
  ...more,
});

test("a failover is no double leader; a write on the older timeline afterwards is one", () => {
  const failover = [ack("db1", 1, 0), ack("db2", 2, 20_000), ack("db2", 2, 30_000)];
  assert.equal(findTwoLeaders(failover), undefined);
  assert.deepEqual(leadersInOrder(failover), ["db1", "db2"]);
  const stolen = findTwoLeaders([...failover, ack("db1", 1, 40_000)]);
  assert.deepEqual(stolen, { newer: "db2", older: "db1", afterMs: 20_000 });
});

test("an answer that is read late is no second leader, and the same timeline at two members is one", () => {
  assert.equal(findTwoLeaders([ack("db2", 2, 1_000), ack("db1", 1, 1_010)]), undefined);
  assert.ok(findTwoLeaders([ack("db1", 2, 1_000), ack("db2", 2, 9_000)]));
});

test("an outage is counted from the last success before the fault to the next, or to the end", () => {
  assert.equal(longestGapMs([900, 1_000, 5_000, 5_100], 1_500, 6_000), 4_000);
  assert.equal(longestGapMs([1_000], 1_500, 9_000), 8_000);
  assert.equal(longestGapMs([], 1_000, 4_000), 3_000);
});

test("a revoked key counts as taken only in requests that began after the revocation", () => {
  const sample = (startMs: number, keyStatus: number, readyStatus = 200) => ({
    api: "api 1",
    startMs,
    keyStatus,
    readyStatus,
  });
  const samples = [sample(900, 200), sample(1_500, 200), sample(2_000, 503, 503), sample(3_000, 401)];
  assert.equal(acceptedForMs(samples, 1_000), 500);
  assert.equal(acceptedForMs(samples, 1_800), 0);
  assert.equal(unreadyAfterMs(samples, 500), 1_500);
  assert.equal(unreadyAfterMs([...samples, { ...sample(900, 200), api: "api 2" }], 500), undefined);
});

test("what callers were told is compared with what is there", () => {
  const compare = (rows: OrderRow[], lost: Wanted[] = []) =>
    Object.values(compareOrders(rows, [first, second], new Set(lost))).map(({ length }) => length);
  const [first, second] = [order(1), order(2)];
  assert.deepEqual(compare([row(1), row(2)]), [0, 0, 0]);
  assert.deepEqual(compare([row(1)]), [1, 0, 0]);
  assert.deepEqual(compare([row(1), row(2), row(3)]), [0, 1, 0]);
  assert.deepEqual(compare([row(1), row(2, { totalMinor: "1", debitedMinor: "-1" })]), [0, 1, 0]);
  assert.deepEqual(compare([row(1, { debits: 2 }), row(2, { debitedMinor: "-1" })]), [0, 0, 2]);
  // The second was rewound with its timeline, and its caller placed it again.
  assert.deepEqual(compare([row(1), row(3, { binding: "rsl_1 test key-2" })], [second]), [0, 0, 0]);
});

test("a row fails for lost orders, a revoked key that is taken beyond the bound, and an outage beyond Patroni's", () => {
  assert.deepEqual(findRowFaults(faultRow()), []);
  assert.deepEqual(findRowFaults(faultRow({ revokedAcceptedMs: REVOCATION_BOUND_MS })), []);
  assert.equal(findRowFaults(faultRow({ revokedAcceptedMs: REVOCATION_BOUND_MS + 1 })).length, 1);
  assert.equal(findRowFaults(faultRow({ lost: [order(1)] })).length, 1);
  const outageMs = faultRow().plainOutageMs + EXTRA_OUTAGE_BOUND_MS;
  assert.deepEqual(findRowFaults(faultRow({ scripOutageMs: outageMs })), []);
  assert.equal(findRowFaults(faultRow({ scripOutageMs: outageMs + 1 })).length, 1);
  assert.equal(findRowFaults(faultRow({ isServing: false })).length, 1);
});

test("the table says whether Patroni or Scrip lost something", () => {
  assert.equal(describeLoss(faultRow()), "0");
  assert.equal(
    describeLoss(faultRow({ lost: [order(1)], hadTwoLeaders: true })),
    "Patroni had two leaders: 1 orders rewound",
  );
  assert.equal(
    describeLoss(faultRow({ lost: [order(1)], probeRowsLost: 3 })),
    "1, with 3 rows of a plain client",
  );
  assert.match(
    describeTable([faultRow()]),
    /\| all hosts \| 20\.0 s \| 20\.4 s \| 0\.0 s \| 2\.0 s \| 500 \| 0 \|/,
  );
});

test("--write replaces the last table and nothing else of the page", () => {
  const [begin, end] = ["<!-- npm run ha -- --write: begin -->", "<!-- npm run ha -- --write: end -->"];
  assert.equal(replaceBetween(`a\n${begin}\nold\n${end}\nb\n`, "new"), `a\n${begin}\nnew\n${end}\nb\n`);
  for (const page of ["", begin, `${end}${begin}`, `${begin}${end}${begin}${end}`])
    assert.throws(() => replaceBetween(page, "new"), /once, in this order/);
});

test("the page for the table has its place", async () => {
  const page = await readFile(new URL("../docs/reliability.md", import.meta.url), "utf8");
  assert.ok(replaceBetween(page, "new").includes("new"));
});
