import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import { firstIdAt } from "../lib/ids.ts";
import { keepTimePartitions, type TimePartitions, tryKeepTimePartitions } from "./time-partitions.ts";

const DAY_MS = 86_400_000;
const PLAN: TimePartitions = {
  table: "notes",
  key: "id",
  prefix: "evt",
  days: 7,
  daysAhead: 7,
  keptDays: 35,
};
/** A Thursday: weeks are counted from 1970-01-01. */
const WEEK = Date.UTC(2020, 0, 2);

const { db, drop } = await createTestDatabase();
after(drop);
await db.rows(
  sql`create table notes (id text collate "C" primary key, word text check (length(word) < 9)) partition by range (id)`,
);
await db.rows(
  raw(
    `create table notes_first partition of notes for values from (minvalue) to ('${firstIdAt("evt", WEEK)}')`,
  ),
);
await db.rows(sql`create table notes_default partition of notes default`);

const at = (day: number): Date => new Date(WEEK + day * DAY_MS);
const keep = (day: number) => keepTimePartitions(db, PLAN, at(day));
const add = (day: number) =>
  db.rows(sql`insert into notes values (${firstIdAt("evt", WEEK + day * DAY_MS)}, ${`day ${day}`})`);
const partitionsOf = async (): Promise<string[]> => {
  const rows = await db.rows<{ name: string }>(
    sql`select inhrelid::regclass::text as name from pg_inherits where inhparent = 'notes'::regclass order by 1`,
  );
  return rows.map(({ name }) => name);
};
const wordsIn = async (table: string): Promise<string[]> => {
  const rows = await db.rows<{ word: string }>(sql`select word from ${raw(table)} order by id`);
  return rows.map(({ word }) => word);
};

test("partitions are created ahead, beside those that are there, by many processes at once", async () => {
  await Promise.all([keep(-3), keep(-3)]);
  assert.deepEqual(await partitionsOf(), ["notes_20200102", "notes_default", "notes_first"]);
  await add(-1);
  await add(6);
  assert.deepEqual(await wordsIn("notes_20200102"), ["day 6"]);
  await assert.rejects(
    db.rows(sql`insert into notes values (${firstIdAt("evt", WEEK)}, 'much too long')`),
    /check/,
  );
  await assert.rejects(add(6), /duplicate key/);
});

test("rows of a partition that was missing wait in the default one and move to it", async () => {
  await add(9);
  await add(40);
  assert.deepEqual(await wordsIn("notes_default"), ["day 9", "day 40"]);
  await keep(8);
  assert.deepEqual(await partitionsOf(), [
    ...["notes_20200102", "notes_20200109", "notes_20200116", "notes_default", "notes_first"],
  ]);
  assert.deepEqual(await wordsIn("notes_20200109"), ["day 9"]);
  assert.deepEqual(await wordsIn("notes_default"), ["day 40"]);
});

test("a partition is dropped when all of it is old; what is in the default one stays", async () => {
  await keep(34);
  assert.deepEqual(await wordsIn("notes"), ["day -1", "day 6", "day 9", "day 40"]);
  await keep(35);
  assert.deepEqual(await wordsIn("notes"), ["day 6", "day 9", "day 40"]);
  await keep(43);
  assert.deepEqual(await wordsIn("notes"), ["day 9", "day 40"]);
});

test("nothing is dropped while others read the table, and nobody is kept waiting for it", async () => {
  const before = await wordsIn("notes");
  await db.transaction(async (tx) => {
    await tx.rows(sql`select from notes limit 1`);
    await tryKeepTimePartitions(db, PLAN, at(51));
    assert.deepEqual(await wordsIn("notes"), before);
  });
  await tryKeepTimePartitions(db, PLAN, at(51));
  assert.deepEqual(await wordsIn("notes"), before.slice(1));
});

test("a clock that is ahead drops nothing that the database's clock would keep", async () => {
  const before = await wordsIn("notes");
  const now = Date.now();
  await db.rows(sql`insert into notes values (${firstIdAt("evt", now)}, 'today')`);
  await keepTimePartitions(db, PLAN, new Date(now));
  await keepTimePartitions(db, PLAN, new Date(now + 400 * DAY_MS));
  assert.ok((await wordsIn("notes")).includes("today"));
  assert.ok(before.length > 0);
});

test("a role that does not own the table leaves its partitions to the owner", async () => {
  const refused = {
    transaction: () => Promise.reject(Object.assign(new Error("not owner"), { code: "42501" })),
  };
  assert.equal(await tryKeepTimePartitions(refused as unknown as typeof db, PLAN, at(0)), false);
});
