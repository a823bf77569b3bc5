import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { AMOUNT_MAX_MINOR } from "../../lib/money.ts";
import { Problem } from "../../lib/problem.ts";
import { ORDINARY_FATE, orderFate } from "../../sandbox/order-fate.ts";
import type { Placement } from "../placing/decide-placements.ts";
import type { PricedLine } from "../price-order.ts";
import { packSubmissions, type Submission, unpackSubmissions } from "./submission-wire.ts";
import { packGreeting, WIRE_VERSION } from "./wire-values.ts";

const DEADLINE_MS = 123_456.789;

const line = (changes: Partial<PricedLine> = {}): PricedLine => ({
  productId: "card",
  name: "Card",
  unitPriceMinor: 950n,
  quantity: 2,
  lineTotalMinor: 1_900n,
  inputFields: null,
  basis: null,
  ...changes,
});

const placement = (changes: Partial<Placement> = {}): Placement => ({
  orderId: `ord_${randomBytes(6).toString("hex")}`,
  resellerId: "rsl_1",
  environment: "live",
  actor: { kind: "key", id: "key_1" },
  idempotencyKey: "invoice-1",
  fingerprint: randomBytes(32),
  reference: null,
  allOrNothing: false,
  fate: ORDINARY_FATE,
  catalogRevision: "1.2",
  priced: { lines: [line()], totalMinor: 1_900n, currency: "USD" },
  createdAt: new Date("2026-01-02T03:04:05.678Z"),
  ...changes,
});

const pack = (submissions: readonly Submission[]): Buffer =>
  Buffer.from(packSubmissions({ deadlineMs: DEADLINE_MS, submissions }));
const alone = (one: Placement): Submission => ({ id: 1, isGroup: false, placements: [one] });
const there = (one: Placement): Placement | undefined =>
  unpackSubmissions(pack([alone(one)])).submissions[0]?.placements[0];

/** Each changes at least one field of a placement. Together they change every one. */
const CHANGES: readonly Partial<Placement>[] = [
  {},
  { orderId: "ord_2", resellerId: "rsl_2", environment: "test", actor: { kind: "user", id: "usr_1" } },
  { idempotencyKey: `" \\ ' , ] }`, reference: "Größe\u001f\u001e\n\u2028 \ud83d\ude00 \ud800" },
  { fingerprint: Buffer.alloc(32), allOrNothing: true, catalogRevision: "9.9" },
  { fate: orderFate("failed"), createdAt: new Date(0) },
  { fate: orderFate("refunded_after_completion"), reference: "" },
  { priced: { lines: [], totalMinor: 0n, currency: "EUR" } },
  {
    priced: {
      lines: [
        line({ unitPriceMinor: AMOUNT_MAX_MINOR, lineTotalMinor: AMOUNT_MAX_MINOR, quantity: 1 }),
        line({ inputFields: { player: "1", __proto__: "x", "": "" } as Record<string, string> }),
        line({ inputFields: JSON.parse('{"__proto__":"y"}') as Record<string, string>, basis: '{"rule":1}' }),
        line({ name: 'Card "2"', productId: "card-2" }),
      ],
      totalMinor: AMOUNT_MAX_MINOR,
      currency: "USD",
    },
  },
  {
    priced: new Problem("out_of_stock", "Only 2 left.", {
      errors: [{ pointer: "/lines/0/quantity", code: "out_of_stock", detail: "Only 2 left." }],
      members: { available: 2, currentTotal: { amount: 3, currency: "USD" } },
      headers: { "retry-after": "1" },
      isAskedFor: true,
      log: { reason: "asked" },
    }),
  },
];

test("every field of a placement arrives as it was sent, with the deadline", () => {
  for (const changes of CHANGES) {
    const sent = placement(changes);
    assert.deepEqual(there(sent), { ...sent, deadlineMs: DEADLINE_MS });
  }
  const { allOrNothing: _, ...absent } = placement();
  assert.equal(there(absent)?.allOrNothing, false);
});

test("a problem arrives without its cause, and its log as text", () => {
  const cause = new Error("secret");
  const sent = new Problem("service_unavailable", "Later.", { cause, log: { minor: 5n } });
  const priced = there(placement({ priced: sent }))?.priced;
  assert.ok(priced instanceof Problem);
  assert.deepEqual([priced.code, priced.status, priced.message], [sent.code, sent.status, sent.message]);
  assert.deepEqual(priced.options, { log: { minor: "5" } });
  assert.equal(priced.cause, undefined);
});

test("placements with much in common are not mixed up", () => {
  const submissions: Submission[] = CHANGES.concat(CHANGES).map((changes, id) => ({
    id,
    isGroup: id % 2 === 0,
    placements: [
      placement(changes),
      placement({ ...changes, catalogRevision: `1.${id}` }),
      placement({ priced: { lines: [line({ name: `Card ${id}` })], totalMinor: 1n, currency: "USD" } }),
      placement({ priced: { lines: [line({ basis: `${id}` })], totalMinor: 1n, currency: "GBP" } }),
      placement({ actor: { kind: "staff", id: "key_1" }, environment: id % 3 ? "live" : "test" }),
      placement({
        priced: { lines: [line(), line({ unitPriceMinor: BigInt(id) })], totalMinor: 1n, currency: "USD" },
      }),
    ],
  }));
  const arrived = unpackSubmissions(pack(submissions)).submissions;
  const expected = submissions.map(({ placements, ...rest }) => ({
    ...rest,
    placements: placements.map((one) => ({ ...one, deadlineMs: DEADLINE_MS })),
  }));
  assert.deepEqual(arrived, expected);
});

test("what is common is sent once", () => {
  const text = pack(Array.from({ length: 10 }, () => alone(placement()))).toString();
  assert.deepEqual([text.split("rsl_1").length - 1, text.split('"Card"').length - 1], [1, 1]);
});

test("an amount that JSON cannot hold exactly is not sent", () => {
  const priced = { lines: [], totalMinor: AMOUNT_MAX_MINOR + 1n, currency: "USD" };
  assert.throws(() => pack([alone(placement({ priced }))]), RangeError);
});

test("a message that is cut off, or has a value of another kind anywhere, is not read", () => {
  const sent = [
    alone(placement({ reference: "R", fate: orderFate("failed") })),
    { id: 2, isGroup: true, placements: CHANGES.map(placement) },
  ];
  const bytes = pack(sent);
  for (let end = 0; end < bytes.length; end += 7)
    assert.throws(() => unpackSubmissions(bytes.subarray(0, end)), `${end} bytes`);
  const wrong = { wrong: true };
  const message = JSON.parse(bytes.toString()) as unknown[];
  let count = 0;
  for (const path of pathsOf(message)) {
    const changed = structuredClone(message);
    replaceAt(changed, path, wrong);
    assert.throws(() => unpackSubmissions(Buffer.from(JSON.stringify(changed))), `at ${path.join(".")}`);
    count += 1;
  }
  assert.ok(count > 100, `${count} places`);
});

test("a message of another version is not read", () => {
  const bytes = pack([alone(placement())]);
  const other = bytes.toString().replace(`[${WIRE_VERSION},`, `[${WIRE_VERSION + 1},`);
  assert.throws(() => unpackSubmissions(Buffer.from(other)), /another version/);
});

test("a changed message has a new version", () => {
  const fixed = placement({ orderId: "ord_1", fingerprint: Buffer.alloc(3, 1), reference: "R" });
  const submissions = [alone(fixed), { id: 2, isGroup: true, placements: [fixed] }];
  const row = `[0,"ord_1",1767323045678,"invoice-1","AQEB","R",false,null,1900,[0,2,1900,null]]`;
  assert.equal(
    packSubmissions({ deadlineMs: 5.5, submissions }),
    `[3,5.5,[["rsl_1","live","key","key_1","1.2","USD"]],[["card","Card",950,null]],[[1,false,${row}],[2,true,${row}]]]`,
    "increase WIRE_VERSION when this changes",
  );
  assert.equal(packGreeting(), "[3]", "the greeting");
});

/** Where the message has a text, a number, a flag or a list. What a problem or an input field says can be anything. */
function* pathsOf(value: unknown, path: readonly number[] = []): Generator<readonly number[]> {
  if (!Array.isArray(value)) return;
  for (const [index, one] of value.entries()) {
    if (one === null) continue;
    if (typeof one !== "object" || Array.isArray(one)) yield [...path, index];
    yield* pathsOf(one, [...path, index]);
  }
}

function replaceAt(message: unknown[], [index = 0, ...rest]: readonly number[], value: unknown): void {
  if (rest.length === 0) message[index] = value;
  else replaceAt(message[index] as unknown[], rest, value);
}
