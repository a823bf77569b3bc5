import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import type { Db } from "./database.ts";
import { rehearse } from "./rehearse.ts";

const { db, drop } = await createTestDatabase();
after(drop);
await db.rows(sql`create table notes (text text primary key)`);
const write = ({ db }: { db: Db }, text: string) =>
  db.transaction((tx) => tx.rows(sql`insert into notes values (${text})`));
const written = () => db.rows<{ text: string }>(sql`select text from notes`);

test("a rehearsed verb runs to its end and leaves nothing; the same verb then writes", async () => {
  await rehearse({ db }, (trial) => write(trial, "a"));
  assert.deepEqual(await written(), []);
  await write({ db }, "a");
  assert.deepEqual(await written(), [{ text: "a" }]);
});

test("what a verb refuses is refused in the rehearsal, by its own error", async () => {
  await assert.rejects(
    rehearse({ db }, (trial) => write(trial, "a")),
    { code: "23505" },
  );
  const refusal = new RangeError("no");
  const refuse = ({ db }: { db: Db }) =>
    db.transaction(async () => {
      throw refusal;
    });
  await assert.rejects(rehearse({ db }, refuse), refusal);
});
