import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { raw } from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { auditAfter, type Findings } from "../../testing/builders/audit-after.ts";
import { addBuyer, addCard, type Buyer, postOrder } from "../../testing/builders/buyers.ts";
import type { Tx } from "../db/database.ts";
import { moveFunds } from "../wallet/move-funds.ts";

let scrip: TestApp;
/** Three entries: a deposit and two orders. */
let buyer: Buyer;
/** Two entries that sum to zero. */
let emptied: Buyer;
/** No entry. */
let unusedId: string;

before(async () => {
  scrip = await createTestApp();
  await addCard(scrip.db);
  buyer = await addBuyer(scrip);
  emptied = await addBuyer(scrip, "5.00");
  await moveFunds(scrip.db, scrip.clock, emptied, { direction: "debit", amount: "5.00", note: "" });
  unusedId = (await scrip.addReseller()).id;
  for (const key of ["first", "second"]) assert.equal((await postOrder(scrip, buyer, key)).statusCode, 202);
});

after(() => scrip.close());

const ofWallet = (resellerId: string): string => `reseller_id = '${resellerId}' and environment = 'live'`;
const headIsWrong = (resellerId: string): string =>
  `wallet ${resellerId} live: its head is not its last entry`;
const entry = (sequence: number, what: string): string =>
  `wallet ${buyer.resellerId} live entry ${sequence}: ${what}`;

/** Bypasses the triggers that make entries immutable. */
const unguarded = (...statements: string[]): string[] => [
  "alter table ledger_entries disable trigger user",
  ...statements,
  "alter table ledger_entries enable trigger user",
];

/** Changes the buyer's third and last entry and rehashes it: hash and head are valid, but the entry is wrong. */
function forgeLastEntry(change: string): string[] {
  const wallet = ofWallet(buyer.resellerId);
  const previous = `(select hash from ledger_entries where ${wallet} and sequence = 2)`;
  return unguarded(
    `update ledger_entries set ${change} where ${wallet} and sequence = 3`,
    `update ledger_entries e set hash = ledger_hash(${previous}, e) where ${wallet} and sequence >= 3`,
    `update wallets set (sequence, head_hash, last_entry_at) =
       (select sequence, hash, created_at from ledger_entries where ${wallet} and sequence >= 3) where ${wallet}`,
  );
}

type Damage = { statements: () => string[]; finds: () => Findings };

const DAMAGES: Record<string, Damage> = {
  "a balance changed by hand": {
    statements: () => [
      `update wallets set balance_minor = balance_minor + 5 where ${ofWallet(buyer.resellerId)}`,
    ],
    finds: () => ({ 1: [headIsWrong(buyer.resellerId)], 2: ["accounts in USD live sum to 5"] }),
  },
  "a negative balance": {
    statements: () => [
      "alter table wallets drop constraint wallets_balance",
      `update wallets set balance_minor = -1 where ${ofWallet(unusedId)}`,
    ],
    finds: () => ({ 1: [headIsWrong(unusedId)], 2: ["accounts in USD live sum to -1"] }),
  },
  "a head that is not the hash of the last entry": {
    statements: () => [`update wallets set head_hash = sha256('') where ${ofWallet(buyer.resellerId)}`],
    finds: () => ({ 1: [headIsWrong(buyer.resellerId)] }),
  },
  "an empty wallet with the wrong initial hash": {
    statements: () => [`update wallets set head_hash = sha256('') where ${ofWallet(unusedId)}`],
    finds: () => ({ 1: [headIsWrong(unusedId)] }),
  },
  "a head with another time than the last entry": {
    statements: () => [`update wallets set last_entry_at = now() where ${ofWallet(emptied.resellerId)}`],
    finds: () => ({ 1: [headIsWrong(emptied.resellerId)] }),
  },
  "a wallet with a changed currency": {
    statements: () => [`update wallets set currency = 'EUR' where ${ofWallet(emptied.resellerId)}`],
    finds: () => ({ 1: [headIsWrong(emptied.resellerId)] }),
  },
  "a rewritten entry": {
    statements: () =>
      unguarded(`update ledger_entries set note = 'x' where ${ofWallet(buyer.resellerId)} and sequence = 1`),
    finds: () => ({ 1: [entry(1, "hash")] }),
  },
  "an entry moved to another wallet's chain": {
    statements: () =>
      unguarded(
        `update ledger_entries set reseller_id = '${unusedId}' where ${ofWallet(emptied.resellerId)}`,
        `update wallets set sequence = 0, head_hash = genesis_hash(reseller_id, environment), last_entry_at = 'epoch'
           where ${ofWallet(emptied.resellerId)}`,
        `update wallets set (sequence, head_hash, last_entry_at) =
           (select sequence, hash, created_at from ledger_entries where ${ofWallet(unusedId)} and sequence = 2)
           where ${ofWallet(unusedId)}`,
      ),
    finds: () => ({ 1: [1, 2].map((sequence) => `wallet ${unusedId} live entry ${sequence}: hash`) }),
  },
  "a gap in the sequence": {
    statements: () => forgeLastEntry("sequence = 4"),
    finds: () => ({ 1: [entry(4, "sequence"), headIsWrong(buyer.resellerId)] }),
  },
  "a balance that does not follow from the previous one": {
    statements: () => forgeLastEntry("balance_after_minor = balance_after_minor + 1"),
    finds: () => ({ 1: [entry(3, "balance"), headIsWrong(buyer.resellerId)] }),
  },
  "an entry that is older than the previous one": {
    statements: () => forgeLastEntry("created_at = '2001-01-01Z'"),
    finds: () => ({ 1: [entry(3, "time")] }),
  },
  "entries without a wallet": {
    statements: () => [`delete from wallets where ${ofWallet(emptied.resellerId)}`],
    finds: () => ({ 1: [`entries of ${emptied.resellerId} live have no wallet`] }),
  },
  "a disabled trigger": {
    statements: () => ["alter table ledger_entries disable trigger ledger_entries_append_only"],
    finds: () => ({ 2: ["the trigger ledger_entries_append_only is missing, changed or switched off"] }),
  },
  "a trigger on the wrong table": {
    statements: () => [
      "drop trigger ledger_entries_never_emptied on ledger_entries",
      "create trigger ledger_entries_never_emptied before truncate on orders execute function refuse_change()",
    ],
    finds: () => ({ 2: ["the trigger ledger_entries_never_emptied is missing, changed or switched off"] }),
  },
};

for (const [what, { statements, finds }] of Object.entries(DAMAGES)) {
  test(`the audit finds ${what}, and nothing else`, async () => {
    const damage = async (tx: Tx) => {
      for (const statement of statements()) await tx.rows(raw(statement));
    };
    assert.deepEqual(await auditAfter(scrip.db, damage), finds());
  });
}
