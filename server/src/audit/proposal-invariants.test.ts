import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { raw } from "sql-template-tag";
import { auditAfter } from "../../testing/builders/audit-after.ts";
import { openPeopleDesk, STAFF_TEAM } from "../../testing/people/people-desk.ts";
import { parseAmountLimits } from "../lib/money.ts";
import { approveProposal, rejectProposal } from "../wallet/proposals/decide-proposal.ts";
import { requestMovement } from "../wallet/proposals/request-movement.ts";
import { WHOLE } from "./extent.ts";
import { proposalsMoveMoneyOnce } from "./proposal-invariants.ts";

let desk: Awaited<ReturnType<typeof openPeopleDesk>>;
/** One approved credit, one approved debit, one rejected and one that waits. */
let ids: { credit: string; debit: string; rejected: string; waiting: string };

before(async () => {
  desk = await openPeopleDesk();
  const { db, clock } = desk;
  const deps = { db, clock, dualControl: parseAmountLimits("1") };
  const [one, two] = await Promise.all(
    ["finance", "admin"].map(async (role) => {
      const { id } = await desk.join(STAFF_TEAM, role);
      return { actor: { kind: "staff", id } } as const;
    }),
  );
  assert.ok(one && two);
  const tenant = { ...(await desk.newTeam()), environment: "live" } as const;
  const propose = async (direction: "credit" | "debit", amount: string) => {
    const made = await requestMovement(deps, tenant, { direction, amount, note: "n" }, one);
    assert.ok("proposed" in made);
    return made.proposed.id;
  };
  const credit = await propose("credit", "90.00");
  await approveProposal(deps, credit, two);
  const debit = await propose("debit", "20.00");
  await approveProposal(deps, debit, two);
  const rejected = await propose("credit", "5.00");
  await rejectProposal(deps, rejected, "no", two);
  ids = { credit, debit, rejected, waiting: await propose("credit", "6.00") };
});

after(() => desk.drop());

const of = (id: string) => `where id = '${id}'`;
const set = (id: string, change: string) => `update movement_proposals set ${change} ${of(id)}`;
const entryOf = (id: string) => `(select entry_id from movement_proposals ${of(id)})`;
const drop = (...names: string[]) =>
  names.map((name) => `alter table movement_proposals drop constraint movement_proposals_${name}`);

const DAMAGES: Record<string, { damage: () => string[]; finds: () => string[] }> = {
  "another amount than the entry's": {
    damage: () => [set(ids.credit, "amount_minor = 9001"), set(ids.debit, "amount_minor = 1999")],
    finds: () => [ids.credit, ids.debit].map((id) => `proposal ${id}: its entry is another movement`),
  },
  "a debit that was booked as a credit": {
    damage: () => [set(ids.credit, "direction = 'debit'")],
    finds: () => [`proposal ${ids.credit}: its entry is another movement`],
  },
  "an entry of another wallet": {
    damage: () => [set(ids.credit, "environment = 'test'")],
    finds: () => [`proposal ${ids.credit}: its entry is another movement`],
  },
  "an approval without an entry": {
    damage: () => [set(ids.credit, "entry_id = 'ent_none'")],
    finds: () => [`proposal ${ids.credit}: approved without an entry`],
  },
  "an entry of two proposals": {
    damage: () => [...drop("entry"), set(ids.debit, `entry_id = ${entryOf(ids.credit)}`)],
    finds: () => [ids.credit, ids.debit].map((id) => `proposal ${id}: its entry is not its own`),
  },
  "an entry of a rejected proposal": {
    damage: () => [...drop("applied"), set(ids.rejected, "entry_id = 'ent_1'")],
    finds: () => [`proposal ${ids.rejected} is rejected but names an entry`],
  },
  "one person for both": {
    damage: () => [...drop("two_people"), set(ids.credit, "decided_by = proposed_by")],
    finds: () => [`proposal ${ids.credit} was approved by the person who proposed it`],
  },
  "an approval after the end": {
    damage: () => [...drop("in_time"), set(ids.credit, "decided_at = expires_at")],
    finds: () => [`proposal ${ids.credit} was approved after it expired`],
  },
  "a person who is nobody of the staff": {
    damage: () => [set(ids.waiting, "proposed_by = 'usr_1'")],
    finds: () => [`proposal ${ids.waiting} was not proposed and decided by people of the staff`],
  },
  "a missing trigger": {
    damage: () => ["alter table movement_proposals disable trigger movement_proposals_final"],
    finds: () => ["the trigger movement_proposals_final is missing, changed or switched off"],
  },
};

for (const [what, { damage, finds }] of Object.entries(DAMAGES)) {
  test(`the invariant finds ${what}, and nothing else`, async () => {
    const undo = new Error("undo");
    // This invariant alone: the whole audit costs half a second each time.
    const looking = desk.db.transaction(async (tx) => {
      await tx.rows(raw("set local session_replication_role = replica"));
      for (const statement of damage()) await tx.rows(raw(statement));
      const found = await tx.rows<{ violation: string }>(proposalsMoveMoneyOnce.violations(WHOLE));
      assert.deepEqual(found.map(({ violation }) => violation).toSorted(), finds().toSorted());
      throw undo;
    });
    await assert.rejects(looking, undo);
  });
}

test("the whole audit accepts proposals in every state", async () => {
  assert.deepEqual(await auditAfter(desk.db, async () => {}), {});
});
