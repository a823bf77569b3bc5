import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { raw } from "sql-template-tag";
import { auditAfter } from "../../testing/builders/audit-after.ts";
import { bankCsv, openDepositDesk } from "../../testing/deposits/deposit-desk.ts";
import { depositsAreCreditedOnce } from "./deposit-invariants.ts";
import { WHOLE } from "./extent.ts";

let desk: Awaited<ReturnType<typeof openDepositDesk>>;
/** One credited by hand, one from two bank lines, one partly paid, one approved by two people, one rejected. */
let ids: Record<"hand" | "bank" | "partial" | "approved" | "requested", string>;
let proposalId: string;

before(async () => {
  desk = await openDepositDesk();
  const hand = await desk.request(10_000n);
  await desk.receive(hand.id);
  await desk.credit(hand.id);
  const bank = await desk.request(30_000n);
  const partial = await desk.request(50_000n);
  await desk.importFile(
    bankCsv([
      ["2030-01-02", "100.00", "USD", bank.reference],
      ["2030-01-03", "200.00", "USD", bank.reference],
      ["2030-01-03", "1.00", "USD", partial.reference],
    ]),
  );
  const approved = await desk.request(200_000n);
  await desk.receive(approved.id);
  proposalId = await desk.creditByTwo(approved.id);
  const requested = await desk.request(1n);
  ids = { hand: hand.id, bank: bank.id, partial: partial.id, approved: approved.id, requested: requested.id };
});

after(() => desk.drop());

const set = (id: string, change: string) => `update deposits set ${change} where id = '${id}'`;
const ownLine = (id: string) => `where deposit_id = '${id}'`;
const drop = (...names: string[]) =>
  names.map((name) => `alter table deposits drop constraint deposits_${name}`);

const DAMAGES: Record<string, { damage: () => string[]; finds: () => string[] }> = {
  "another amount than the entry's": {
    damage: () => [set(ids.hand, "received_minor = 10001")],
    finds: () => [`deposit ${ids.hand}: its entry is another movement`],
  },
  "another wallet than the entry's": {
    damage: () => [`update ledger_entries set environment = 'test', sequence = 999 ${ownLine(ids.hand)}`],
    finds: () => [`deposit ${ids.hand}: its entry is another movement`],
  },
  "a credit whose entry is gone": {
    damage: () => [`update ledger_entries set deposit_id = null ${ownLine(ids.hand)}`],
    finds: () => [`deposit ${ids.hand}: credited without an entry`],
  },
  "two entries for one deposit": {
    damage: () => [
      "drop index ledger_entries_of_deposit",
      `insert into ledger_entries select 'ent_two', reseller_id, environment, 998, type, counter_account, amount_minor,
         balance_after_minor, currency, order_id, note, hash, created_at, deposit_id from ledger_entries ${ownLine(ids.hand)}`,
    ],
    finds: () => [
      `deposit ${ids.hand}: credited by more than one entry`,
      "the index ledger_entries_of_deposit is missing, changed or broken",
    ],
  },
  "an entry for a deposit that was not credited": {
    damage: () => [
      ...drop("credited"),
      set(ids.hand, "status = 'received', entry_id = null, credited_at = null"),
      `delete from events where subject_id = '${ids.hand}'`,
    ],
    finds: () => [`deposit ${ids.hand}: an entry credits it, but it is received`],
  },
  "an entry for a deposit that is not there": {
    damage: () => [`update ledger_entries set deposit_id = 'dep_gone' ${ownLine(ids.hand)}`],
    finds: () => [
      "deposit dep_gone: an entry credits it, but it does not exist",
      `deposit ${ids.hand}: credited without an entry`,
    ],
  },
  "a bank line more than was received": {
    damage: () => [`update bank_lines set amount_minor = amount_minor + 1 ${ownLine(ids.partial)}`],
    finds: () => [`deposit ${ids.partial}: its bank lines are not what was received`],
  },
  "a bank line that was moved to another deposit": {
    damage: () => [`update bank_lines set deposit_id = '${ids.requested}' ${ownLine(ids.partial)}`],
    finds: () => [
      `deposit ${ids.partial}: received from a bank statement without a line of one`,
      `deposit ${ids.requested}: its bank lines are not what was received`,
    ],
  },
  "a bank line that counts twice": {
    damage: () => [
      "alter table bank_lines drop constraint bank_lines_pkey",
      `update bank_lines set identity = sha256('one') where deposit_id in ('${ids.bank}')`,
    ],
    finds: () => [
      `bank line ${"7692c3ad3540bb80"} counts more than once`,
      "the index bank_lines_pkey is missing, changed or broken",
    ],
  },
  "a reference with wrong digits": {
    damage: () => [...drop("checked"), set(ids.requested, "reference = 'RF00D00000000000'")],
    finds: () => [`deposit ${ids.requested}: its reference has wrong check digits`],
  },
  "an approval that credited something else": {
    damage: () => [
      "alter table movement_proposals drop constraint movement_proposals_entry",
      `update movement_proposals set deposit_id = '${ids.hand}' where id = '${proposalId}'`,
    ],
    finds: () => [`proposal ${proposalId}: approved for a deposit that it did not credit`],
  },
  "an event of a credit that did not happen": {
    damage: () => [
      `update events set id = 'evt_x', subject_id = '${ids.requested}' where subject_id = '${ids.hand}'`,
    ],
    finds: () => ["event evt_x tells of a deposit that was not credited like this"],
  },
  "a trigger that is switched off": {
    damage: () => ["alter table deposits disable trigger deposits_follow_rules"],
    finds: () => ["the trigger deposits_follow_rules is missing, changed or switched off"],
  },
};

for (const [what, { damage, finds }] of Object.entries(DAMAGES)) {
  test(`the invariant finds ${what}, and nothing else`, async () => {
    const undo = new Error("undo");
    const looking = desk.db.transaction(async (tx) => {
      await tx.rows(raw("set local session_replication_role = replica"));
      for (const statement of damage()) await tx.rows(raw(statement));
      const found = await tx.rows<{ violation: string }>(depositsAreCreditedOnce.violations(WHOLE));
      assert.deepEqual(found.map(({ violation }) => violation).toSorted(), finds().toSorted());
      throw undo;
    });
    await assert.rejects(looking, undo);
  });
}

test("the whole audit accepts deposits in every state", async () => {
  assert.deepEqual(await auditAfter(desk.db, async () => {}), {});
});
