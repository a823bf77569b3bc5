import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import type { Clock } from "../lib/clock.ts";
import { exportActivity } from "./export-activity.ts";
import { type ActivityFilter, type ActivityReader, listActivity } from "./list-activity.ts";
import { type NewActivity, recordActivity } from "./record-activity.ts";

const { db, drop } = await createTestDatabase();
after(drop);

const START_MS = Date.parse("2030-01-01T00:00:00Z");
const STAFF: ActivityReader = { kind: "staff" };
const SHOP: ActivityReader = { kind: "reseller", resellerId: "rsl_1" };

const clockAt = (minute: number): Clock => ({ now: () => new Date(START_MS + minute * 60_000) });
const record = (minute: number, more: Partial<NewActivity> = {}) =>
  db.transaction((tx) =>
    recordActivity(tx, clockAt(minute), {
      actor: { kind: "user", id: "usr_1" },
      address: "203.0.113.7",
      action: "key.created",
      object: { kind: "key", id: `key_${minute}` },
      resellerId: "rsl_1",
      environment: "live",
      after: { name: "till" },
      ...more,
    }),
  );

await record(0);
await record(1, { actor: { kind: "staff", id: "stf_1" }, action: "reseller.frozen", environment: undefined });
await record(2, { resellerId: "rsl_2" });
await record(3, { environment: "test", action: "key.revoked" });
await record(4, {
  object: { kind: "person", id: "usr_2" },
  action: "person.invited",
  environment: undefined,
});
await record(5, { actor: { kind: "command", id: "scrip" }, resellerId: undefined, address: undefined });

const ids = async (reader: ActivityReader, filter: ActivityFilter = {}) =>
  (await listActivity(db, reader, filter, { limit: 100 })).data.map(
    ({ at }) => (at.getTime() - START_MS) / 60_000,
  );

test("a reseller sees its own rows and staff's on it, and staff see all, newest first", async () => {
  assert.deepEqual(await ids(SHOP), [4, 3, 1, 0]);
  assert.deepEqual(await ids(STAFF), [5, 4, 3, 2, 1, 0]);
  assert.deepEqual(await ids(STAFF, { resellerId: "rsl_2" }), [2]);
  assert.deepEqual(await ids(SHOP, { resellerId: "rsl_2" }), [4, 3, 1, 0]);
});

test("a reseller does not learn which person of the staff it was, and not from where", async () => {
  const { data } = await listActivity(db, SHOP, { actor: { kind: "staff" } }, { limit: 10 });
  assert.deepEqual(
    data.map(({ actor, address }) => ({ actor, address })),
    [{ actor: { kind: "staff" }, address: undefined }],
  );
  assert.deepEqual(await ids(SHOP, { actor: { kind: "staff", id: "stf_1" } }), []);
  assert.deepEqual(await ids(STAFF, { actor: { kind: "staff", id: "stf_1" } }), [1]);
});

test("filters by environment, action, object, actor and time", async () => {
  assert.deepEqual(await ids(SHOP, { environment: "live" }), [4, 1, 0]);
  assert.deepEqual(await ids(SHOP, { environment: "test" }), [4, 3, 1]);
  assert.deepEqual(await ids(SHOP, { action: "key.revoked" }), [3]);
  assert.deepEqual(await ids(SHOP, { object: { kind: "person", id: "usr_2" } }), [4]);
  assert.deepEqual(await ids(SHOP, { actor: { kind: "user", id: "usr_1" } }), [4, 3, 0]);
  const from = new Date(START_MS + 60_000);
  assert.deepEqual(await ids(STAFF, { from, to: new Date(START_MS + 4 * 60_000) }), [3, 2, 1]);
});

test("pages meet end to end", async () => {
  const seen: string[] = [];
  let next: string | undefined;
  do {
    const page = await listActivity(db, STAFF, {}, { limit: 4, after: next });
    seen.push(...page.data.map(({ id }) => id));
    assert.equal(page.hasMore, page.nextAfter !== undefined);
    next = page.nextAfter;
  } while (next !== undefined);
  assert.equal(seen.length, 6);
  assert.deepEqual(seen, seen.toSorted().reverse());
});

test("the database refuses every change of the log", async () => {
  for (const statement of ["update activity set action = 'a.b'", "delete from activity", "truncate activity"])
    await assert.rejects(db.rows(raw(statement)), /activity is append-only/);
});

test("a row is undone together with what it tells", async () => {
  const failing = db.transaction(async (tx) => {
    await recordActivity(tx, clockAt(0), {
      actor: { kind: "system", id: "scrip" },
      action: "key.undone",
      object: { kind: "key", id: "key_1" },
    });
    throw new Error("undone");
  });
  await assert.rejects(failing, /undone/);
  assert.deepEqual(await ids(STAFF, { action: "key.undone" }), []);
});

test("a member that is a secret by its name is refused, and long or broken text is cut", async () => {
  await assert.rejects(record(6, { after: { token: "x" } }), /must not hold "token"/);
  await record(7, { action: "key.renamed", after: { name: `\0\ud800${"x".repeat(1_000)}` } });
  const [entry] = (await listActivity(db, STAFF, { action: "key.renamed" }, { limit: 1 })).data;
  assert.match(String(entry?.after?.name), /^\ufffd\ufffdx{297}…$/);
});

test("the CSV has one line for each row, and nothing in it is a formula", async () => {
  await record(8, { action: "key.named", after: { name: "=1+1" }, object: { kind: "key", id: "=cmd()" } });
  let text = "";
  for await (const part of exportActivity(db, STAFF, {})) text += part;
  const lines = text.trimEnd().split("\r\n");
  const [row] = await db.rows<{ count: number }>(sql`select count(*)::integer as count from activity`);
  assert.equal(lines.length, 1 + (row?.count ?? 0));
  assert.match(lines[0] ?? "", /^id,at,actor_kind,/);
  assert.match(lines.find((line) => line.includes("key.named")) ?? "", /,key,'=cmd\(\),/);
});

test("a reseller does not read in a note which people of the staff moved its money, and staff do", async () => {
  const other: ActivityReader = { kind: "reseller", resellerId: "rsl_3" };
  const people = " (proposed by stf_01aa, approved by stf_02bb)";
  const notes = [`Bank transfer${people}`, `${"x".repeat(270)}${people}`, `${"y".repeat(280)}${people}`];
  for (const [nth, note] of notes.entries())
    await record(20 - nth, {
      ...{ resellerId: "rsl_3", actor: { kind: "staff", id: "stf_02bb" }, action: "wallet.credited" },
      before: { note },
      after: { note, balance: "1.00 USD" },
    });
  const { data } = await listActivity(db, other, {}, { limit: 10 });
  assert.deepEqual(
    data.map(({ after }) => after?.note),
    ["Bank transfer", "x".repeat(270), "y".repeat(280)],
  );
  assert.doesNotMatch(JSON.stringify(data), /stf_/);
  const seen = await listActivity(db, STAFF, { resellerId: "rsl_3" }, { limit: 10 });
  assert.equal(seen.data[0]?.after?.note, notes[0]);
});
