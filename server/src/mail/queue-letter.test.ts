import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import { isMailAddress, type Letter, queueLetter } from "./queue-letter.ts";

const { db, drop } = await createTestDatabase();
after(drop);
const NOW = new Date("2030-01-01T00:00:00Z");
const LETTER: Letter = { cause: "invitation 1", to: "new@one.example", subject: "Welcome", text: "Hello\n" };
const queue = (changes: Partial<Letter>) =>
  db.transaction((tx) => queueLetter(tx, { ...LETTER, ...changes }, NOW));
const count = async () => (await db.rows(sql`select id from letters`)).length;

test("a cause has one letter, and a letter that was rolled back was never written", async () => {
  assert.equal(await queue({}), true);
  assert.equal(await queue({ text: "Hello again\n" }), false);
  const rolledBack = db.transaction(async (tx) => {
    await queueLetter(tx, { ...LETTER, cause: "invitation 2" }, NOW);
    throw new Error("changed my mind");
  });
  await assert.rejects(rolledBack, /changed my mind/);
  assert.deepEqual(await db.rows(sql`select cause, body_text from letters`), [
    { cause: "invitation 1", body_text: "Hello\n" },
  ]);
});

test("nothing that could add a header or a recipient becomes a letter", async () => {
  const before = await count();
  const breaks = ["\r\n", "\n", "\r", "\u0085", "\u2028", "\v", "\0", "\x1f"];
  for (const text of breaks) {
    const injected = `one${text}Bcc: b@two.example`;
    await assert.rejects(queue({ cause: "x", subject: injected }), /subject of a letter/);
    await assert.rejects(queue({ cause: "x", to: `new@one.example${text}Bcc: b@two.example` }), /recipient/);
  }
  for (const to of [
    "",
    "one",
    "a@one.example, b@two.example",
    "a@one.example,b@two.example",
    "a b@one.example",
  ])
    await assert.rejects(queue({ cause: "x", to }), /recipient/);
  assert.equal(await count(), before);
  for (const column of ["recipient", "subject"]) {
    const forged = { recipient: "a@one.example", subject: "Hello", [column]: "one\r\nBcc: b@two.example" };
    const insert = db.rows(sql`
      insert into letters (cause, recipient, subject, body_text, created_at, next_try_at)
      values ('x', ${forged.recipient}, ${forged.subject}, '', now(), now())`);
    await assert.rejects(insert, new RegExp(`letters_${column}_check`));
  }
});

test("a subject and a body have a limit", async () => {
  await assert.rejects(queue({ cause: "x", subject: "s".repeat(501) }), /at most 500/);
  await assert.rejects(queue({ cause: "x", html: "h".repeat(262_145) }), /at most 262144/);
  await assert.rejects(queue({ cause: "x", text: "t".repeat(262_145) }), /at most 262144/);
});

test("an address has one @ and neither spaces nor control characters", () => {
  for (const text of ["a@b", "o'neil+x@one.example", "用户@例え.jp"])
    assert.equal(isMailAddress(text), true, text);
  for (const text of ["@b", "a@", "a@b@c", "a\u0007@b", "a@b\n"])
    assert.equal(isMailAddress(text), false, text);
});
