import assert from "node:assert/strict";
import { test } from "node:test";
import { DEPOSIT_STATUSES, type Deposit, type DepositAction, nextDeposit } from "./deposit.ts";

const REQUESTED: Deposit = {
  id: "dep_1",
  resellerId: "rsl_1",
  environment: "live",
  currency: "USD",
  amountMinor: 1_000n,
  reference: "RF18D00000000000",
  note: null,
  actorKind: "key",
  actorId: "key_1",
  createdAt: new Date(0),
  status: "requested",
  receivedMinor: null,
  receivedByHand: false,
  receivedAt: null,
  creditedAt: null,
  entryId: null,
  rejectedAt: null,
  reason: null,
};
const received = (receivedMinor: bigint, receivedByHand: boolean): Deposit => ({
  ...REQUESTED,
  status: "received",
  receivedMinor,
  receivedByHand,
});
const arrives = (amountMinor: bigint, from: "hand" | "bank"): DepositAction => ({
  kind: "receive",
  amountMinor,
  from,
});

test("what has arrived is credited, whatever was requested, and nothing before it has arrived", () => {
  assert.ok("refused" in nextDeposit(REQUESTED, { kind: "credit" }));
  assert.deepEqual(nextDeposit(received(900n, false), { kind: "credit" }), {
    status: "credited",
    amountMinor: 900n,
  });
});

test("a deposit that was credited or rejected takes no further action", () => {
  const actions: DepositAction[] = [
    { kind: "credit" },
    { kind: "reject" },
    arrives(1n, "hand"),
    arrives(1n, "bank"),
  ];
  for (const status of ["credited", "rejected"] as const)
    for (const action of actions)
      assert.ok(
        "refused" in nextDeposit({ ...received(900n, false), status }, action),
        `${status} ${action.kind}`,
      );
  assert.deepEqual(DEPOSIT_STATUSES, ["requested", "received", "credited", "rejected"]);
});

test("payments of a bank add up, and an amount that a person says replaces the one before", () => {
  const first = { status: "received", receivedMinor: 400n };
  assert.deepEqual(nextDeposit(REQUESTED, arrives(400n, "bank")), { ...first, receivedByHand: false });
  assert.deepEqual(nextDeposit(REQUESTED, arrives(400n, "hand")), { ...first, receivedByHand: true });
  const again = { status: "received", receivedMinor: 600n };
  assert.deepEqual(nextDeposit(received(200n, false), arrives(400n, "bank")), {
    ...again,
    receivedByHand: false,
  });
  assert.deepEqual(nextDeposit(received(200n, true), arrives(600n, "hand")), {
    ...again,
    receivedByHand: true,
  });
});

test("what a person says and what a bank says are never mixed", () => {
  assert.ok("refused" in nextDeposit(received(200n, true), arrives(400n, "bank")));
  assert.ok("refused" in nextDeposit(received(200n, false), arrives(400n, "hand")));
  assert.ok("refused" in nextDeposit(REQUESTED, arrives(0n, "hand")));
});

test("a deposit is rejected before it is credited", () => {
  for (const deposit of [REQUESTED, received(900n, true)])
    assert.deepEqual(nextDeposit(deposit, { kind: "reject" }), { status: "rejected" });
});
