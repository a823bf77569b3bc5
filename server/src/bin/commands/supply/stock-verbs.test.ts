import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addUnsuppliedProducts } from "../../../../testing/builders/supply-builders.ts";
import { createTestDatabase, type TestDatabase } from "../../../../testing/database/test-database.ts";
import { openScripDesk, type ScripDesk } from "../../../../testing/processes/scrip-desk.ts";

let database: TestDatabase;
let folder: string;
let scrip: ScripDesk;

const CODES = ["PLAIN-1", "PLAIN-2", "PLAIN-3", "PLAIN-4"];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-stock-verbs-"));
  database = await createTestDatabase();
  scrip = openScripDesk({ DATABASE_URL: database.connectionString, DATA_DIR: folder });
  await addUnsuppliedProducts(database.db, ["card"]);
  const rows = CODES.map((code, index) => `${code};"pin;${index}";203${index}-01-01T00:00:00Z`);
  const csv = `\ufeffcode;pin;expiresAt\r\n${rows.join("\r\n")}\r\n`;
  await writeFile(join(folder, "codes.csv"), csv);
  await scrip.json(["stock", "import", "--product", "card", join(folder, "codes.csv")]);
});

after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

type Listed = { data: { id: string; state: string; expiresAt: string }[]; hasMore: boolean };
const list = (...args: string[]) => scrip.json<Listed>(["stock", "list", "--product", "card", ...args]);
const withdraw = (...args: string[]) => [
  ...["stock", "withdraw", "--product", "card", "--reason", "returned"],
  ...args,
];

test("a stock file with semicolons, a BOM and CRLF is read like one with commas", async () => {
  const { data } = await list();
  assert.deepEqual(
    data.map(({ expiresAt }) => expiresAt.slice(0, 4)),
    ["2030", "2031", "2032", "2033"],
  );
});

test("stock list shows ids in pages, and never a code", async () => {
  const page = await list("--limit", "3");
  assert.deepEqual([page.data.length, page.hasMore], [3, true]);
  const rest = await list("--after", page.data.at(-1)?.id ?? "");
  assert.deepEqual([rest.data.length, rest.hasMore], [1, false]);
  const { stdout } = await scrip.run(["stock", "list", "--product", "card"]);
  assert.doesNotMatch(stdout, /PLAIN|pin;/);
  assert.match((await scrip.run(["stock", "list", "--product", "card", "--state", "sold"])).stderr, /one of/);
});

test("codes that can be sold are not exported, and nothing is exported without --reveal", async () => {
  const args = ["stock", "export", "--product", "card", "--reason", "leaving"];
  const unasked = await scrip.run(args);
  assert.deepEqual([unasked.code, unasked.stdout], [2, ""]);
  assert.match(unasked.stderr, /required option '--reveal'/);
  const early = await scrip.run([...args, "--reveal"]);
  assert.deepEqual([early.code, early.stdout], [1, ""]);
  assert.match(early.stderr, /scrip stock withdraw/);
});

test("withdrawn codes are out of stock at once, cannot come back, and are exported in plain text with a record", async () => {
  const { data } = await list();
  const first = await scrip.json<{ ids: string[] }>(withdraw("--ids", data[0]?.id ?? ""));
  assert.deepEqual(first.ids, [data[0]?.id]);
  const last = await scrip.json<{ ids: string[] }>(withdraw("--count", "1"));
  assert.deepEqual(last.ids, [data[3]?.id], "what expires last goes first");
  const level = await scrip.json<{ data: { available: number; withdrawn: number }[] }>(["stock", "level"]);
  assert.deepEqual([level.data[0]?.available, level.data[0]?.withdrawn], [2, 2]);

  const again = await scrip.run(["stock", "import", "--product", "card", join(folder, "codes.csv")]);
  assert.match(again.stderr, /is known already: cod_\w+, withdrawn/);

  const exported = await scrip.run([
    ...["stock", "export", "--product", "card", "--reveal", "--reason", "leaving"],
  ]);
  assert.equal(
    exported.stdout,
    "code,pin,serial,url,expiresAt\n" +
      'PLAIN-1,"pin;0",,,2030-01-01T00:00:00.000Z\nPLAIN-4,"pin;3",,,2033-01-01T00:00:00.000Z\n',
  );
  const operations = await database.db.rows<object>(
    sql`select action, code_count as count, reason from stock_operations order by id`,
  );
  assert.deepEqual(operations, [
    { action: "withdraw", count: 1, reason: "returned" },
    { action: "withdraw", count: 1, reason: "returned" },
    { action: "export", count: 2, reason: "leaving" },
  ]);
  await assert.rejects(database.db.rows(sql`delete from stock_operations`), /append-only/);
});

test("withdrawing everything makes the product unavailable; a code that is not in stock is reported with exit code 1", async () => {
  const { data } = await list();
  assert.equal((await scrip.json<{ withdrawn: number }>(withdraw("--all"))).withdrawn, 2);
  const [supply] = await database.db.rows(sql`select state from product_supply where product_id = 'card'`);
  assert.deepEqual(supply, { state: "empty" });
  const gone = await scrip.run(withdraw("--ids", data[0]?.id ?? ""));
  assert.equal(gone.code, 1);
  assert.match(gone.stderr, new RegExp(`warning: ${data[0]?.id} is not in stock`));
  assert.equal((await scrip.run(withdraw())).code, 2);
});
