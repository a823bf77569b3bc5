import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deposit } from "../deposit.ts";
import { createReference } from "../reference.ts";
import { type BankLine, type IdentifiedLine, identify } from "./bank-line.ts";
import type { StoredLine } from "./bank-queries.ts";
import { type Known, type MatchResult, proposeMatches } from "./propose-matches.ts";

const REFERENCE = createReference("live");
const OTHER = createReference("live");
const SANDBOX = createReference("test");

const line = (row: number, changes: Partial<BankLine> = {}): BankLine => ({
  row,
  account: "DE1",
  entryReference: undefined,
  bookedOn: "2030-01-31",
  amountMinor: 500n,
  currency: "EUR",
  payer: "Payer",
  remittance: `Invoice ${REFERENCE}`,
  ...changes,
});
const deposit = (changes: Partial<Deposit> = {}): Deposit =>
  ({
    id: "dep_1",
    currency: "EUR",
    amountMinor: 1_000n,
    status: "requested",
    receivedByHand: false,
    ...changes,
  }) as Deposit;

/** What each line of a file is for, if the database knows this much. */
function judge(lines: readonly BankLine[], known: Partial<Known> = {}): MatchResult[] {
  const identified = identify(lines);
  const rows = lines.map((one) => ({ row: one.row, line: one }));
  const deposits = new Map([[REFERENCE, deposit()]]);
  return proposeMatches(rows, identified, {
    deposits,
    recorded: new Map(),
    linesOf: new Map(),
    ...known,
  }).map(({ result }) => result);
}
const stored = ({ amountMinor, currency, bookedOn }: BankLine): StoredLine =>
  ({ depositId: "dep_1", amountMinor, currency, bookedOn }) as StoredLine;
const hexOf = ({ identity }: IdentifiedLine): string => identity.toString("hex");

test("lines of one deposit add up to it, and beyond it", () => {
  const lines = [
    line(1),
    line(2, { amountMinor: 499n }),
    line(3, { amountMinor: 1n }),
    line(4, { amountMinor: 2n }),
  ];
  assert.deepEqual(judge(lines), ["partial", "partial", "exact", "over"]);
});

test("a line that was counted before is not counted again, and one with its reference and another amount needs a person", () => {
  const [one] = identify([line(1, { entryReference: "B1" })]);
  assert.ok(one);
  const recorded = new Map([[hexOf(one), stored(one)]]);
  assert.deepEqual(judge([line(1, { entryReference: "B1" })], { recorded }), ["already_recorded"]);
  assert.deepEqual(judge([line(1, { entryReference: "B1", amountMinor: 501n })], { recorded }), ["doubled"]);
});

test("two equal lines of a file are two lines, a repeated bank reference is one, and the second of each needs a person", () => {
  const [first, second] = identify([line(1), line(2)]);
  const [named, again] = identify([line(1, { entryReference: "B1" }), line(2, { entryReference: "B1" })]);
  assert.ok(first && second && named && again);
  assert.notEqual(hexOf(first), hexOf(second));
  assert.equal(hexOf(named), hexOf(again));
  assert.deepEqual(judge([line(1), line(2)]), ["partial", "doubled"]);
});

test("the same amount within three days in another file needs a person, and later it does not", () => {
  const counted = (bookedOn: string) => ({ linesOf: new Map([["dep_1", [stored(line(1, { bookedOn }))]]]) });
  assert.deepEqual(judge([line(1)], counted("2030-01-28")), ["doubled"]);
  assert.deepEqual(judge([line(1)], counted("2030-01-27")), ["exact"]);
});

test("what no deposit can take is named with its reason", () => {
  const takes = (changes: Partial<Deposit>) => ({ deposits: new Map([[REFERENCE, deposit(changes)]]) });
  assert.deepEqual(judge([line(1, { currency: "USD" })]), ["other_currency"]);
  assert.deepEqual(judge([line(1)], takes({ status: "credited" })), ["already_credited"]);
  assert.deepEqual(judge([line(1)], takes({ status: "rejected" })), ["deposit_rejected"]);
  assert.deepEqual(judge([line(1)], takes({ receivedByHand: true })), ["already_received"]);
  assert.deepEqual(judge([line(1, { remittance: `${REFERENCE} ${OTHER}` })]), ["several_references"]);
  assert.deepEqual(judge([line(1, { remittance: SANDBOX })]), ["test_reference"]);
  assert.deepEqual(judge([line(1, { remittance: OTHER })]), ["unknown_reference"]);
  assert.deepEqual(judge([line(1, { remittance: "thanks" })]), ["no_reference"]);
});
