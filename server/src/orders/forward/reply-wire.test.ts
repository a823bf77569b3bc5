import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../lib/problem.ts";
import type { BatchDecision } from "../placing/placement-batch.ts";
import {
  type ForwardedDecision,
  forwardDecision,
  packReplies,
  type Reply,
  unpackReplies,
} from "./reply-wire.ts";
import { WIRE_VERSION } from "./wire-values.ts";

const ORDER = {
  id: "ord_1",
  status: "completed",
  totalMinor: 9_007_199_254_740_991n,
  currency: "USD",
  fingerprint: Buffer.from([0, 255, 128]),
} as const;
const PROBLEM = new Problem("insufficient_funds", "Too little.", { headers: { "retry-after": "1" } });

const DECISIONS: readonly ForwardedDecision[] = [
  { kind: "order", order: ORDER },
  { kind: "problem", problem: PROBLEM, isDecided: true },
  { kind: "problem", problem: PROBLEM, isDecided: false },
  { kind: "stale", catalogRevision: "3.4" },
  { kind: "placed" },
  { kind: "conflict" },
  { kind: "revoked" },
  { kind: "busy" },
  { kind: "own" },
];

const byId = (replies: readonly Reply[]): Reply[] => [...replies].sort((a, b) => a.id - b.id);
const pack = (replies: readonly Reply[]): Buffer => Buffer.from(packReplies(replies));

test("every decision arrives as it was sent, alone and in a group", () => {
  const replies: Reply[] = [
    ...DECISIONS.map((decision, id) => ({ id, decisions: [decision] })),
    { id: 100, decisions: DECISIONS },
    { id: 101, decisions: [{ kind: "placed" }, { kind: "placed" }] },
    { id: 102, decisions: [] },
  ];
  assert.deepEqual(byId(unpackReplies(pack(replies))), replies);
});

test("of an order that was placed as asked only its number is sent", () => {
  const placed = [7, 8, 9].map((id): Reply => ({ id, decisions: [{ kind: "placed" }] }));
  assert.equal(
    packReplies(placed),
    `[${WIRE_VERSION},[7,8,9],[]]`,
    "increase WIRE_VERSION when this changes",
  );
});

test("each decision of a batch is told", () => {
  const told = (decision: BatchDecision) => forwardDecision(decision);
  assert.deepEqual(told({ kind: "replayed", order: ORDER }), { kind: "order", order: ORDER });
  assert.deepEqual(told({ kind: "refused", problem: PROBLEM }), DECISIONS[1]);
  assert.deepEqual(told({ kind: "stale", catalogRevision: "3.4" }), DECISIONS[3]);
  assert.deepEqual(told({ kind: "failed", error: new Error("boom") }), { kind: "own" });
  for (const kind of ["conflict", "revoked", "busy"] as const) assert.deepEqual(told({ kind }), { kind });
});

test("a reply that makes no sense is not read", () => {
  const junk = [
    "",
    "{}",
    "[]",
    `[${WIRE_VERSION + 1},[],[]]`,
    `[${WIRE_VERSION}]`,
    `[${WIRE_VERSION},[],{}]`,
    `[${WIRE_VERSION},["1"],[]]`,
    `[${WIRE_VERSION},[1.5],[]]`,
    `[${WIRE_VERSION},[],[1]]`,
    `[${WIRE_VERSION},[],[[1,["invented"]]]]`,
    `[${WIRE_VERSION},[],[[1,["stale"]]]]`,
    `[${WIRE_VERSION},[],[[1,["order","ord_1","lost",1,"USD","AA=="]]]]`,
    `[${WIRE_VERSION},[],[[1,["problem",["no_such_code","",{}],true]]]]`,
    `[${WIRE_VERSION},[],[[1,["problem",["not_found","",{}]]]]]`,
  ];
  for (const text of junk) assert.throws(() => unpackReplies(Buffer.from(text)), text);
});
