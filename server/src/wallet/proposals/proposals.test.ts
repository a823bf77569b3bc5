import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { countWaiting } from "../../../testing/database/count-waiting.ts";
import { eventually } from "../../../testing/eventually.ts";
import { COMMAND, openPeopleDesk, STAFF_TEAM } from "../../../testing/people/people-desk.ts";
import { changeRole, removePerson } from "../../accounts/people/change-person.ts";
import type { By } from "../../activity/record-activity.ts";
import type { Db } from "../../db/database.ts";
import { parseAmountLimits } from "../../lib/money.ts";
import { moveFunds } from "../move-funds.ts";
import { findWallet, listEntryRows } from "../queries.ts";
import { approveProposal, rejectProposal, withdrawProposal } from "./decide-proposal.ts";
import { getProposal, listClosed, listWaiting, PROPOSAL_LIFE_MS } from "./proposal.ts";
import { lockProposal } from "./proposal-queries.ts";
import { previewMovement, requestMovement } from "./request-movement.ts";

const desk = await openPeopleDesk();
const { db, clock, deps: accounts } = desk;
after(() => desk.drop());
// The last one: an admin who stays, so that others can be removed.
await desk.join(STAFF_TEAM, "admin");

const ROUNDS = 5;
const deps = { db, clock, dualControl: parseAmountLimits("USD:1000.00") };
const byOf = (id: string): By => ({ actor: { kind: "staff", id }, address: "203.0.113.7" });
const ana = byOf((await desk.join(STAFF_TEAM, "finance")).id);
const ben = byOf((await desk.join(STAFF_TEAM, "admin")).id);
const support = byOf((await desk.join(STAFF_TEAM, "support")).id);

/** A reseller with this much in its live wallet. */
async function wallet(amount = "500.00") {
  const tenant = { ...(await desk.newTeam()), environment: "live" } as const;
  await moveFunds(db, clock, tenant, { direction: "credit", amount, note: "start" });
  const read = async () => {
    const entries = await listEntryRows(db, tenant, { before: undefined, limit: 10 });
    return { balanceMinor: (await findWallet(db, tenant))?.balanceMinor, entries };
  };
  return { tenant, read };
}
type Wallet = Awaited<ReturnType<typeof wallet>>;

async function propose({ tenant }: Wallet, direction: "credit" | "debit" = "credit", amount = "1000.01") {
  const result = await requestMovement(deps, tenant, { direction, amount, note: "Bank transfer 4711" }, ana);
  assert.ok("proposed" in result);
  return result.proposed;
}

const refusal = (code: string) => (error: unknown) => (error as { code?: string }).code === code;

test("up to the limit one person moves money at once, and above it a proposal waits", async () => {
  const one = await wallet();
  const input = { direction: "credit", amount: "1000.00", note: "Bank transfer" } as const;
  const preview = await previewMovement(deps, one.tenant, input);
  assert.deepEqual(
    [preview.balanceBeforeMinor, preview.balanceAfterMinor, preview.approvalAboveMinor],
    [50_000n, 150_000n, undefined],
  );
  const moved = await requestMovement(deps, one.tenant, input, ana);
  assert.ok("moved" in moved);
  assert.equal(moved.moved.balanceMinor, 150_000n);
  const above = await previewMovement(deps, one.tenant, { ...input, amount: "1000.01" });
  assert.equal(above.approvalAboveMinor, 100_000n);
  const proposal = await propose(one);
  assert.equal((await one.read()).balanceMinor, 150_000n);
  assert.deepEqual(
    (await listWaiting(db, clock.now())).map(({ id }) => id),
    [proposal.id],
  );
  const inTest = await requestMovement(
    deps,
    { ...one.tenant, environment: "test" },
    { ...input, amount: "9999.00" },
    ana,
  );
  assert.ok("moved" in inTest);
  const free = await requestMovement(
    { ...deps, dualControl: undefined },
    one.tenant,
    { ...input, amount: "9000.00" },
    ana,
  );
  assert.ok("moved" in free);
  await withdrawProposal(deps, proposal.id, ana);
});

test("approval moves the exact amount once, with both people in the note and in the log", async () => {
  const one = await wallet();
  const { id } = await propose(one);
  const { moved, proposal } = await approveProposal(deps, id, ben);
  const { balanceMinor, entries } = await one.read();
  assert.deepEqual([balanceMinor, moved.balanceMinor, proposal.state], [150_001n, 150_001n, "approved"]);
  assert.equal(entries.length, 2);
  assert.equal(entries[0]?.id, proposal.entryId);
  assert.equal(entries[0]?.amountMinor, 100_001n);
  assert.equal(
    entries[0]?.note,
    `Bank transfer 4711 (proposed by ${ana.actor.id}, approved by ${ben.actor.id})`,
  );
  const [approved] = await desk.activity("movement.approved");
  assert.deepEqual([approved?.actor.id, approved?.before?.proposedBy], [ben.actor.id, ana.actor.id]);
  assert.equal(approved?.resellerId, undefined);
  const [credited] = await desk.activity("wallet.credited");
  assert.deepEqual(
    [credited?.resellerId, credited?.before, credited?.after?.balance],
    [one.tenant.resellerId, { balance: "500.00 USD" }, "1500.01 USD"],
  );
  await assert.rejects(approveProposal(deps, id, ben), refusal("proposal_closed"));
  assert.equal((await one.read()).balanceMinor, 150_001n);
});

test("nobody approves or rejects their own, nobody withdraws another's, and the role must allow it", async () => {
  const one = await wallet();
  const { id } = await propose(one);
  await assert.rejects(approveProposal(deps, id, ana), refusal("own_proposal"));
  await assert.rejects(rejectProposal(deps, id, "no", ana), refusal("own_proposal"));
  await assert.rejects(withdrawProposal(deps, id, ben), refusal("own_proposal"));
  await assert.rejects(approveProposal(deps, id, support), refusal("not_permitted"));
  await assert.rejects(rejectProposal(deps, id, "no", support), refusal("not_permitted"));
  const input = { direction: "credit", amount: "1.00", note: "x" } as const;
  await assert.rejects(requestMovement(deps, one.tenant, input, support), refusal("not_permitted"));
  await assert.rejects(approveProposal(deps, "prp_none", ben), refusal("not_found"));
  await assert.rejects(rejectProposal(deps, id, " ", ben), refusal("reason_needed"));
  assert.equal((await rejectProposal(deps, id, "Wrong reseller", ben)).state, "rejected");
  await assert.rejects(withdrawProposal(deps, id, ana), refusal("proposal_closed"));
  assert.equal((await one.read()).entries.length, 1);
});

test("a proposal expires after 7 days, to the millisecond", async () => {
  const one = await wallet();
  const first = await propose(one);
  clock.advance(PROPOSAL_LIFE_MS - 1);
  assert.equal((await getProposal(db, first.id, clock.now())).state, "waiting");
  clock.advance(1);
  assert.equal((await getProposal(db, first.id, clock.now())).state, "expired");
  for (const decide of [
    () => approveProposal(deps, first.id, ben),
    () => rejectProposal(deps, first.id, "no", ben),
    () => withdrawProposal(deps, first.id, ana),
  ])
    await assert.rejects(decide(), /This has expired\. No money has moved/);
  assert.equal((await one.read()).balanceMinor, 50_000n);
  assert.deepEqual(await listWaiting(db, clock.now()), []);
  assert.equal((await listClosed(db, clock.now(), { limit: 1 })).data[0]?.id, first.id);
});

test("a debit is refused when the balance is too small by then, and the proposal waits on", async () => {
  const one = await wallet("2000.00");
  const { id } = await propose(one, "debit", "1500.00");
  await moveFunds(db, clock, one.tenant, { direction: "debit", amount: "600.00", note: "order" });
  await assert.rejects(approveProposal(deps, id, ben), /The balance is 1400\.00 USD, less than 1500\.00\./);
  assert.equal((await getProposal(db, id, clock.now())).state, "waiting");
  await moveFunds(db, clock, one.tenant, { direction: "credit", amount: "100.00", note: "more" });
  assert.equal((await approveProposal(deps, id, ben)).moved.balanceMinor, 0n);
  await assert.rejects(propose(one, "debit", "1500.00"), /It cannot go below zero/);
});

test("when the answer to a movement is lost, the person is told which entry to look for", async () => {
  const { tenant, read } = await wallet();
  const away = Object.assign(new Error("terminating connection"), { code: "57P01" });
  const lossy: Db = {
    ...db,
    transaction: async (work) => {
      await db.transaction(work);
      throw away;
    },
  };
  const input = { direction: "credit", amount: "1.00", note: "once" } as const;
  const told = await requestMovement({ ...deps, db: lossy }, tenant, input, ana).catch(
    (error: Error) => error,
  );
  const [entry] = (await read()).entries;
  assert.ok(told instanceof Error && entry && told.message.includes(`whether ${entry.id} was booked`));
});

test("amounts and notes that make no sense are refused at their field", async () => {
  const { tenant } = await wallet();
  for (const [change, message, field] of [
    [{ amount: "0" }, /zero/, "amount"],
    [{ amount: "1.001" }, /too many decimals/, "amount"],
    [{ amount: "-1" }, /is not an amount/, "amount"],
    [{ note: "  " }, /Write a note/, "note"],
    [{ note: "x".repeat(301) }, /at most 300 characters/, "note"],
    [{ note: "a\nb" }, /line breaks/, "note"],
  ] as const) {
    const input = { direction: "credit", amount: "1.00", note: "n", ...change } as const;
    const isRefused = (error: unknown) =>
      message.test(String(error)) && (error as { field?: string }).field === field;
    await assert.rejects(previewMovement(deps, tenant, input), isRefused);
    await assert.rejects(requestMovement(deps, tenant, input, ana), isRefused);
  }
});

/** Starts all while the proposal is locked, so that they race for it. */
async function race(id: string, ...decisions: (() => Promise<unknown>)[]) {
  let racing: Promise<PromiseSettledResult<unknown>[]> | undefined;
  await db.transaction(async (tx) => {
    await lockProposal(tx, id);
    racing = Promise.allSettled(decisions.map((decide) => decide()));
    await eventually("all who wait", async () =>
      (await countWaiting(db)) === decisions.length ? true : undefined,
    );
  });
  return (await racing)?.map(({ status }) => status).toSorted();
}

test("two approvals at once, and an approval against a withdrawal: one wins", async () => {
  const carl = byOf((await desk.join(STAFF_TEAM, "finance")).id);
  const one = await wallet();
  const first = await propose(one);
  const approvals = [ben, carl, ben].map((by) => () => approveProposal(deps, first.id, by));
  assert.deepEqual(await race(first.id, ...approvals), ["fulfilled", "rejected", "rejected"]);
  assert.equal((await one.read()).balanceMinor, 150_001n);
  const second = await propose(one);
  const ends = await race(
    second.id,
    () => approveProposal(deps, second.id, ben),
    () => withdrawProposal(deps, second.id, ana),
  );
  assert.deepEqual(ends, ["fulfilled", "rejected"]);
  const { state } = await getProposal(db, second.id, clock.now());
  const expected = state === "approved" ? 250_002n : 150_001n;
  assert.equal((await one.read()).balanceMinor, expected);
});

test("a person who is removed or loses the role meanwhile moves nothing", async () => {
  const one = await wallet();
  const { id } = await propose(one);
  const dora = await desk.join(STAFF_TEAM, "finance");
  let approving: Promise<unknown> | undefined;
  await db.transaction(async (tx) => {
    // What removePerson does, held open until the approval waits for it.
    await tx.rows(sql`update accounts set removed_at = ${clock.now()} where id = ${dora.id}`);
    approving = approveProposal(deps, id, byOf(dora.id));
    approving.catch(() => {});
    await eventually("the approval that waits", async () =>
      (await countWaiting(db)) === 1 ? true : undefined,
    );
  });
  await assert.rejects(approving ?? Promise.resolve(), refusal("not_permitted"));
  const eve = await desk.join(STAFF_TEAM, "finance");
  await changeRole(accounts, STAFF_TEAM, { id: eve.id, role: "viewer" }, COMMAND);
  await assert.rejects(approveProposal(deps, id, byOf(eve.id)), refusal("not_permitted"));
  await removePerson(accounts, STAFF_TEAM, ana.actor.id, COMMAND);
  await assert.rejects(approveProposal(deps, id, ben), /can no longer move money/);
  assert.equal((await one.read()).balanceMinor, 50_000n);
});

test("an approval and the removal of its approver never wait for each other in a circle", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const one = await wallet();
    // The leaver's id comes before the admin's: locks in the order of ids would meet those of the removal.
    const leaver = await desk.join(STAFF_TEAM, "finance");
    const gus = byOf((await desk.join(STAFF_TEAM, "admin")).id);
    const input = { direction: "credit", amount: "2000.00", note: "n" } as const;
    const made = await requestMovement(deps, one.tenant, input, gus);
    assert.ok("proposed" in made);
    const [approved, removed] = await Promise.allSettled([
      approveProposal(deps, made.proposed.id, byOf(leaver.id)),
      removePerson(accounts, STAFF_TEAM, leaver.id, COMMAND),
    ]);
    assert.equal(removed.status, "fulfilled");
    if (approved.status === "rejected")
      assert.ok(refusal("not_permitted")(approved.reason), String(approved.reason));
    const { balanceMinor } = await one.read();
    assert.equal(balanceMinor, approved.status === "fulfilled" ? 250_000n : 50_000n);
  }
});

test("the database itself refuses one person for both, a second decision and a changed proposal", async () => {
  const flo = byOf((await desk.join(STAFF_TEAM, "finance")).id);
  const one = await wallet();
  const input = { direction: "credit", amount: "5000.00", note: "n" } as const;
  const result = await requestMovement(deps, one.tenant, input, flo);
  assert.ok("proposed" in result);
  const { id } = result.proposed;
  const decided = (by: string, state: string, entry: string) =>
    db.rows(
      raw(`update movement_proposals set state = '${state}', decided_by = '${by}', entry_id = ${entry},
             decided_at = proposed_at where id = '${id}'`),
    );
  for (const change of [
    () => decided(flo.actor.id, "approved", "'ent_1'"),
    () => decided(flo.actor.id, "rejected", "null"),
    () => decided(ben.actor.id, "withdrawn", "null"),
  ])
    await assert.rejects(change(), /movement_proposals_two_people/);
  await assert.rejects(decided(ben.actor.id, "approved", "null"), /movement_proposals_applied/);
  const final = /a proposal is decided once and never changed/;
  await assert.rejects(db.rows(raw("update movement_proposals set amount_minor = 1")), final);
  await rejectProposal(deps, id, "no", ben);
  await assert.rejects(decided(ben.actor.id, "approved", "'ent_1'"), final);
  await assert.rejects(db.rows(raw("delete from movement_proposals")), /append-only/);
});
