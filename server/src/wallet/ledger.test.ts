import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import sql, { raw } from "sql-template-tag";
import { anyCharacter } from "../../testing/any-character.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { SEED } from "../../testing/seed.ts";
import { errorCodeOf } from "../db/database-errors.ts";
import { AMOUNT_MAX_MINOR } from "../lib/money.ts";
import { chainHash, type Entry, type EntryType, genesisHash } from "./entry.ts";
import { insertEntry } from "./queries.ts";

const SAMPLES = 500;

let database: TestDatabase;

before(async () => {
  database = await createTestDatabase();
  await insert(ENTRY);
});

after(() => database.drop());

const ENTRY: Entry = {
  id: "ent_1",
  resellerId: "rsl_a",
  environment: "live",
  sequence: 1n,
  type: "order",
  counterAccount: "sales",
  amountMinor: -5n,
  balanceAfterMinor: 10n,
  currency: "USD",
  orderId: "ord_1",
  note: null,
  createdAt: new Date("2030-01-31T12:00:00.000Z"),
  hash: Buffer.alloc(32, 1),
};

const insert = (entry: Entry) => database.db.transaction((tx) => insertEntry(tx, entry));

test("the database computes the same hashes as the code, for any entry", async () => {
  const entries = fc.sample(anyEntry, { seed: SEED, numRuns: SAMPLES });
  const previous = entries.map((entry) => Buffer.alloc(32, entry.id));
  const rows = await database.db.rows<{ hash: Buffer; genesis: Buffer }>(sql`
    select ledger_hash(decode(given.previous, 'hex'), e) as hash, genesis_hash(e.reseller_id, e.environment) as genesis
    from unnest(${previous.map((hash) => hash.toString("hex"))}::text[]) with ordinality as given (previous, place)
    join jsonb_populate_recordset(null::ledger_entries, ${JSON.stringify(entries.map(toRow))}::jsonb) as e
      on e.id = 'ent_' || given.place
    order by given.place`);
  assert.equal(rows.length, SAMPLES);
  for (const [index, entry] of entries.entries()) {
    const numbered = { ...entry, id: `ent_${index + 1}` };
    assert.deepEqual(
      rows[index]?.hash,
      chainHash(previous[index] ?? Buffer.alloc(0), numbered),
      `seed ${SEED}`,
    );
    assert.deepEqual(rows[index]?.genesis, genesisHash(entry));
  }
});

/** The database accepts neither NUL nor lone surrogates. Any other text is a valid note. */
const anyNote = fc.oneof(
  fc.constantFrom("", "|", "||", "a|b", "|x|", "é", "e\u0301", "💶 paid", "a\nb", "\\", "'", "\u0001", " "),
  fc.string({ unit: anyCharacter, maxLength: 40 }).filter((text) => !text.includes("\0")),
);

const anyEntry: fc.Arbitrary<Omit<Entry, "hash">> = fc.record({
  id: fc.string({ minLength: 1, maxLength: 3 }),
  resellerId: fc.constantFrom("rsl_a", "rsl_b"),
  environment: fc.constantFrom("live", "test"),
  sequence: fc.bigInt({ min: 1n, max: 2n ** 62n }),
  type: fc.constantFrom<EntryType[]>("deposit", "order", "refund", "adjustment"),
  counterAccount: fc.constantFrom("funding", "sales", "adjustments"),
  amountMinor: fc.bigInt({ min: -AMOUNT_MAX_MINOR, max: AMOUNT_MAX_MINOR }),
  balanceAfterMinor: fc.bigInt({ min: 0n, max: AMOUNT_MAX_MINOR }),
  currency: fc.constantFrom("USD", "JPY", "KWD"),
  orderId: fc.option(fc.constantFrom("ord_1", "ord_01m7ef4g9je00974k1yf0xf7j3")),
  note: fc.option(anyNote),
  createdAt: fc.date({ min: new Date("1960-01-01"), max: new Date("2200-01-01"), noInvalidDate: true }),
});

const toRow = (entry: Omit<Entry, "hash">, index: number) => ({
  id: `ent_${index + 1}`,
  reseller_id: entry.resellerId,
  environment: entry.environment,
  sequence: entry.sequence.toString(),
  type: entry.type,
  counter_account: entry.counterAccount,
  amount_minor: entry.amountMinor.toString(),
  balance_after_minor: entry.balanceAfterMinor.toString(),
  currency: entry.currency,
  order_id: entry.orderId,
  note: entry.note,
  created_at: entry.createdAt,
});

for (const statement of [
  "update ledger_entries set amount_minor = 1",
  "update ledger_entries set note = note where id = 'ent_1'",
  "delete from ledger_entries",
  "delete from ledger_entries where id = 'ent_1'",
  "truncate ledger_entries",
  "truncate ledger_entries cascade",
]) {
  test(`the database refuses "${statement}"`, async () => {
    await assert.rejects(database.db.rows(raw(statement)), /ledger_entries is append-only/);
    const [row] = await database.db.rows<{ amount: bigint }>(
      sql`select amount_minor as amount from ledger_entries`,
    );
    assert.equal(row?.amount, -5n);
  });
}

const UNIQUE = "23505";
const CHECK = "23514";
const REFUSED: Record<string, [Partial<Entry>, string]> = {
  "a second debit of one order, even in another wallet": [{ resellerId: "rsl_b" }, UNIQUE],
  "a duplicate sequence number": [{ orderId: "ord_2" }, UNIQUE],
  "a sequence below one": [{ orderId: "ord_2", sequence: 0n }, CHECK],
  "a negative balance": [{ orderId: "ord_2", sequence: 2n, balanceAfterMinor: -1n }, CHECK],
  "a balance that JSON cannot represent exactly": [
    { orderId: "ord_2", sequence: 2n, balanceAfterMinor: AMOUNT_MAX_MINOR + 1n },
    CHECK,
  ],
  "an order that adds money": [{ orderId: "ord_2", sequence: 2n, amountMinor: 5n }, CHECK],
  "an order without an order": [{ orderId: null, sequence: 2n }, CHECK],
  "an order with another counter account": [
    { orderId: "ord_2", sequence: 2n, counterAccount: "funding" },
    CHECK,
  ],
  "a refund that takes money": [{ sequence: 2n, type: "refund" }, CHECK],
  "a refund without an order": [{ orderId: null, sequence: 2n, type: "refund", amountMinor: 5n }, CHECK],
  "a deposit that takes money": [{ sequence: 2n, type: "deposit", counterAccount: "funding" }, CHECK],
  "a movement of zero": [
    { sequence: 2n, type: "adjustment", counterAccount: "adjustments", amountMinor: 0n },
    CHECK,
  ],
  "a truncated hash": [{ orderId: "ord_2", sequence: 2n, hash: Buffer.alloc(16) }, CHECK],
};

for (const [what, [changes, code]] of Object.entries(REFUSED)) {
  test(`the database refuses ${what}`, async () => {
    await assert.rejects(
      insert({ ...ENTRY, id: "ent_2", ...changes }),
      (error) => errorCodeOf(error) === code,
    );
  });
}
