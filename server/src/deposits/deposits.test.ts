import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { countWaiting } from "../../testing/database/count-waiting.ts";
import { crashAtStatement } from "../../testing/deposits/deposit-desk.ts";
import { eventually } from "../../testing/eventually.ts";
import { COMMAND, openPeopleDesk, STAFF_TEAM } from "../../testing/people/people-desk.ts";
import type { By } from "../activity/record-activity.ts";
import { audit } from "../audit/audit.ts";
import { parseAmountLimits } from "../lib/money.ts";
import { approveProposal, withdrawProposal } from "../wallet/proposals/decide-proposal.ts";
import { PROPOSAL_LIFE_MS } from "../wallet/proposals/proposal.ts";
import { findWallet } from "../wallet/queries.ts";
import { creditDeposit, openDepositOf } from "./credit-deposit.ts";
import { findDeposit, lockDeposit } from "./deposit-queries.ts";
import { receiveDeposit } from "./receive-deposit.ts";
import { rejectDeposit } from "./reject-deposit.ts";
import { requestDeposit } from "./request-deposit.ts";

const desk = await openPeopleDesk();
const { db, clock } = desk;
after(async () => {
  const { ok, invariants } = await audit(db);
  await desk.drop();
  assert.ok(ok, JSON.stringify(invariants.filter((one) => !one.ok)));
});

const deps = { db, clock, dualControl: parseAmountLimits("USD:1000.00") };
const approving = { ...deps, openDeposit: openDepositOf(clock) };
const byOf = (id: string): By => ({ actor: { kind: "staff", id }, address: "203.0.113.7" });
const ana = byOf((await desk.join(STAFF_TEAM, "finance")).id);
const ben = byOf((await desk.join(STAFF_TEAM, "admin")).id);
const support = byOf((await desk.join(STAFF_TEAM, "support")).id);
const tenant = { ...(await desk.newTeam()), environment: "live" } as const;
const USER: By = { actor: { kind: "user", id: "usr_1" } };

const request = async (amountMinor = 50_000n) =>
  (await requestDeposit(deps, tenant, { amountMinor }, USER)).deposit;
const received = async (amountMinor?: bigint, amount?: string) =>
  receiveDeposit(deps, (await request(amountMinor)).id, amount, ana);
const balance = async (): Promise<bigint> => (await findWallet(db, tenant))?.balanceMinor ?? -1n;
const refusal = (code: string) => (error: unknown) => (error as { code?: string }).code === code;
const statusOf = async (id: string) => (await findDeposit(db, id))?.status;

test("a deposit is received, then credited once: entry, event, letter and log together", async () => {
  const { id, reference } = await request();
  await assert.rejects(creditDeposit(deps, id, ana), /not been received/);
  const before = await balance();
  await receiveDeposit(deps, id, "499.50", ana);
  assert.equal(await balance(), before);
  const done = await creditDeposit(deps, id, ana);
  assert.ok("credited" in done);
  assert.equal(await balance(), before + 49_950n);
  await assert.rejects(creditDeposit(deps, id, ben), /credited already/);
  await assert.rejects(receiveDeposit(deps, id, undefined, ana), refusal("deposit_closed"));
  await assert.rejects(rejectDeposit(deps, id, "no", ana), refusal("deposit_closed"));
  assert.equal(await balance(), before + 49_950n);
  const [facts] = await db.rows<{ note: string; events: bigint; letters: string[]; log: string[] }>(sql`
    select (select note from ledger_entries where deposit_id = ${id}) as note,
           (select count(*) from events where subject_id = ${id} and type = 'deposit.credited') as events,
           (select array_agg(subject) from letters where cause like ${`deposit ${id}%`}) as letters,
           (select array_agg(action order by id) from activity where object_id = ${id}) as log`);
  assert.deepEqual(facts, {
    note: `Deposit ${reference}`,
    events: 1n,
    letters: ["Your deposit of 499.50 USD was credited"],
    log: ["deposit.requested", "deposit.received", "deposit.credited"],
  });
});

test("an amount received by hand can be corrected until it is credited, and a second click changes nothing", async () => {
  const { id } = await received(10_000n);
  await receiveDeposit(deps, id, "90.00", ana);
  await receiveDeposit(deps, id, "90.00", ana);
  await creditDeposit(deps, id, ana);
  assert.equal((await findDeposit(db, id))?.receivedMinor, 9_000n);
  for (const [amount, message] of [
    ["0", /zero/],
    ["1,00", /is not an amount/],
    ["1.001", /decimals/],
    ["-1", /is not an amount/],
  ] as const)
    await assert.rejects(received(1n, amount), message);
});

test("a rejected deposit is never credited, and needs a reason that the reseller can read", async () => {
  const { id } = await received();
  for (const reason of ["", "  ", "x".repeat(501), "a\u0000b"])
    await assert.rejects(rejectDeposit(deps, id, reason, ana), RangeError);
  assert.equal((await rejectDeposit(deps, id, "Payment came back", ana)).status, "rejected");
  await assert.rejects(creditDeposit(deps, id, ana), /was rejected/);
  await assert.rejects(rejectDeposit(deps, id, "again", ana), /was rejected/);
});

test("people without the permission do nothing, and an unknown deposit is not found", async () => {
  const { id } = await received();
  for (const attempt of [
    () => receiveDeposit(deps, id, "1.00", support),
    () => creditDeposit(deps, id, support),
    () => rejectDeposit(deps, id, "no", support),
  ])
    await assert.rejects(attempt(), refusal("not_permitted"));
  await assert.rejects(creditDeposit(deps, "dep_none", ana), refusal("not_found"));
  assert.equal(await statusOf(id), "received");
});

test("two people and doubled clicks at once credit once", async () => {
  const { id } = await received();
  const before = await balance();
  let racing: Promise<PromiseSettledResult<unknown>[]> | undefined;
  const clicks = [ana, ben, ana, ben, COMMAND];
  await db.transaction(async (tx) => {
    await lockDeposit(tx, id);
    racing = Promise.allSettled([
      ...clicks.map((by) => creditDeposit(deps, id, by)),
      rejectDeposit(deps, id, "no", ben),
    ]);
    await eventually("all who wait", async () => ((await countWaiting(db)) === 6 ? true : undefined));
  });
  const won = (await racing)?.filter(({ status }) => status === "fulfilled");
  assert.equal(won?.length, 1);
  const credited = (await statusOf(id)) === "credited";
  assert.equal(await balance(), before + (credited ? 50_000n : 0n));
});

test("a crash at every statement, at the commit or after it leaves the deposit whole, and a second try credits once", async () => {
  let points = 0;
  for (let point = 1; ; point += 1) {
    const { id } = await received();
    const before = await balance();
    const crashing = crashAtStatement(db, point);
    await creditDeposit({ ...deps, db: crashing.db }, id, ana).catch(() => {});
    const status = await statusOf(id);
    assert.equal(await balance(), status === "credited" ? before + 50_000n : before);
    await creditDeposit(deps, id, ana).catch(() => {});
    assert.equal(await balance(), before + 50_000n, `crashed at ${point}`);
    if (crashing.passed() < point) break;
    points = point;
  }
  assert.ok(points > 8, `${points} points`);
});

test("above the limit two people credit a deposit, and the command is refused", async () => {
  const { id } = await received(100_001n);
  await assert.rejects(creditDeposit(deps, id, COMMAND), /takes two people/);
  const before = await balance();
  const made = await creditDeposit(deps, id, ana);
  assert.ok("proposed" in made);
  await assert.rejects(creditDeposit(deps, id, ben), /waits for a second person/);
  const proposal = made.proposed.id;
  await assert.rejects(approveProposal(approving, proposal, ana), refusal("own_proposal"));
  await assert.rejects(approveProposal(deps, proposal, ben), /nobody ends the deposit/);
  assert.equal(await balance(), before);
  const both = await Promise.allSettled([1, 2].map(() => approveProposal(approving, proposal, ben)));
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  assert.equal(await balance(), before + 100_001n);
  assert.equal(await statusOf(id), "credited");
});

test("an approval does nothing once the amount, the deposit or the time has changed", async () => {
  const { id } = await received(200_000n);
  const propose = async () => {
    const made = await creditDeposit(deps, id, ana);
    assert.ok("proposed" in made);
    return made.proposed.id;
  };
  const first = await propose();
  await receiveDeposit(deps, id, "1999.00", ana);
  await assert.rejects(approveProposal(approving, first, ben), /Another amount was received/);
  await withdrawProposal(deps, first, ana);
  await propose();
  clock.advance(PROPOSAL_LIFE_MS);
  const third = await propose();
  await rejectDeposit(deps, id, "Payment came back", ana);
  await assert.rejects(approveProposal(approving, third, ben), /was rejected/);
});

test("the database refuses a credit without its entry, a step back, a changed request and a removal", async () => {
  const { id } = await received();
  const set = (change: string) => db.rows(raw(`update deposits set ${change} where id = '${id}'`));
  await assert.rejects(
    set("status = 'credited', entry_id = 'ent_1', credited_at = now()"),
    /has its own ledger entry/,
  );
  await assert.rejects(set("status = 'requested'"), /cannot move|check constraint/);
  await assert.rejects(set("amount_minor = 1"), /never changes/);
  await assert.rejects(set("reference = 'RF00D00000000000'"), /never changes/);
  await assert.rejects(
    set("received_minor = 1, status = 'rejected', reason = 'x', rejected_at = now()"),
    /does not change/,
  );
  await assert.rejects(db.rows(raw("delete from deposits")), /append-only/);
  const copy = (change: string) =>
    db.rows(
      raw(`insert into deposits (id, reseller_id, environment, currency, amount_minor, reference, actor_kind, actor_id,
             created_at) select 'dep_x', reseller_id, environment, currency, amount_minor, ${change}, actor_kind, actor_id,
             created_at from deposits where id = '${id}'`),
    );
  await assert.rejects(copy("reference"), /deposits_reference/);
  await assert.rejects(copy("'RF00D00000000000'"), /deposits_checked/);
});
