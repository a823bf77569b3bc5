import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { disguisesOf, findPlanted } from "../../../../testing/builders/find-planted.ts";
import {
  addStockRow,
  addSupplierRow,
  addUnsuppliedProducts,
} from "../../../../testing/builders/supply-builders.ts";
import { createTestDatabase, type TestDatabase } from "../../../../testing/database/test-database.ts";
import { runScrip, scripJson } from "../../../../testing/processes/run-scrip.ts";

let database: TestDatabase;
let folder: string;
let env: Record<string, string>;
let supplierId: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-stock-commands-"));
  database = await createTestDatabase();
  env = { DATABASE_URL: database.connectionString, DATA_DIR: folder };
  await addUnsuppliedProducts(database.db, ["card", "game", "other"]);
});

after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function stockFile(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

const importArgs = (file: string, ...args: string[]): string[] => [
  "stock",
  "import",
  "--product",
  "card",
  file,
  ...args,
];

type Imported = {
  productId: string;
  supplierId: string;
  imported: number;
  level: number;
  routeMade?: object;
};

test("stock import reports what it imported and created, as JSON and for people", async () => {
  const first = await stockFile("first.csv", "code,pin\nFIRST-1,1\nFIRST-2,2\n");
  const imported = await scripJson<Imported>(importArgs(first, "--cost", "8.10"), env);
  supplierId = imported.supplierId;
  assert.deepEqual(imported, {
    productId: "card",
    supplierId,
    imported: 2,
    level: 2,
    cost: { amount: 810, currency: "USD", minorUnitExponent: 2 },
    supplierMade: "Stock",
    routeMade: {
      productId: "card",
      supplierId,
      priority: 100,
      cost: { amount: 810, currency: "USD", minorUnitExponent: 2 },
      sku: "card",
    },
  });
  const second = await stockFile(
    "second.csv",
    "url,expiresAt\nhttps://gift.example/1,2099-12-31T23:59:59Z\n",
  );
  assert.deepEqual(await scripJson(importArgs(second), env), {
    productId: "card",
    supplierId,
    imported: 1,
    level: 3,
    cost: { amount: 810, currency: "USD", minorUnitExponent: 2 },
  });
  const third = await stockFile("third.csv", "code\nTHIRD-1\n");
  const shown = await runScrip(["stock", "import", third, "--product", "game"], env);
  assert.deepEqual(shown, {
    code: 0,
    stdout:
      `created a route of game to ${supplierId}: priority 100, cost unknown\n` +
      "imported 1 code(s) for game; 1 can be sold now\n",
    stderr: "",
  });
});

test("a refused file exits 1, names every invalid line on standard error, and imports nothing", async () => {
  const [known] = await database.db.rows<{ id: string }>(
    sql`select id from codes where product_id = 'card' order by id limit 1`,
  );
  const file = await stockFile("faulty.csv", "code,url\nNEW-1,\n,\nFIRST-1,\nNEW-1,\n,gopher://x\n");
  const refused = await runScrip(importArgs(file, "--json"), env);
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.deepEqual(refused.stderr.trimEnd().split("\n"), [
    "line 3: code: has neither a code nor a url",
    "line 6: url: is not an address that begins with https or http",
    "line 5: code: duplicate of line 2",
    `line 4: code: is known already: ${known?.id}, in stock`,
    `scrip: nothing was imported: 4 invalid row(s) in ${file}`,
  ]);
  assert.deepEqual(await scripJson(["stock", "level", "--product", "card"], env), {
    data: [
      {
        productId: "card",
        supplierId,
        supplierName: "Stock",
        available: 3,
        expired: 0,
        delivered: 0,
        quarantined: 0,
        damaged: 0,
        withdrawn: 0,
        value: [{ amount: 2_430, currency: "USD", minorUnitExponent: 2 }],
      },
    ],
  });
  const shown = await runScrip(["stock", "level", "--product", "card"], env);
  assert.match(shown.stdout, /VALUE[\s\S]*24\.30 USD/);
});

test("stock level counts each state by product and supplier, including expired codes that were not moved yet", async () => {
  const { db } = database;
  const elsewhere = await addSupplierRow(db, { name: "Elsewhere" });
  await addSupplierRow(db, { kind: "scrip", name: "Called" });
  const past = new Date("2020-01-01T00:00:00.000Z");
  const stock = { productId: "other", supplierId: elsewhere };
  for (const expiresAt of [past, new Date("2099-01-01T00:00:00.000Z")])
    await addStockRow(db, { ...stock, expiresAt });
  await addStockRow(db, { ...stock, expiresAt: past, state: "expired" });
  const [delivered, quarantined] = [await addStockRow(db, stock), await addStockRow(db, stock)];
  const unit = sql`order_id = 'ord_1', line_index = 0, unit_index = 0`;
  await db.rows(
    sql`update codes set state = 'delivered', delivered_at = now(), ${unit} where id = ${delivered}`,
  );
  await db.rows(sql`
    update codes set state = 'quarantined', quarantine_reason = 'late', ${unit} where id = ${quarantined}`);
  await db.rows(sql`update codes set state = 'damaged' where id = ${await addStockRow(db, stock)}`);
  await db.rows(sql`
    insert into supplier_routes (product_id, supplier_id, priority, sku) values ('card', ${elsewhere}, 1, 'card')`);
  const { stdout } = await runScrip(["stock", "level"], env);
  const rows = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
  assert.deepEqual(rows, [
    [
      "PRODUCT",
      "SUPPLIER",
      "NAME",
      "AVAILABLE",
      "VALUE",
      "EXPIRED",
      "DELIVERED",
      "QUARANTINED",
      "DAMAGED",
      "WITHDRAWN",
    ],
    ["card", supplierId, "Stock", "3", "24.30 USD", "0", "0", "0", "0", "0"],
    ["card", elsewhere, "Elsewhere", "0", "–", "0", "0", "0", "0", "0"],
    ["game", supplierId, "Stock", "1", "1 of unknown cost", "0", "0", "0", "0", "0"],
    ["other", elsewhere, "Elsewhere", "1", "1 of unknown cost", "2", "1", "1", "1", "0"],
  ]);
});

test("with --take-good the invalid lines are named and left out, the others come in, and the exit code is 0", async () => {
  const file = await stockFile("half.csv", "code,expiresAt\nHALF-1,2099-12-31\nHALF-2,soon\nFIRST-1,\n");
  const args = importArgs(
    file,
    "--take-good",
    "--cost",
    "1,008.50",
    "--currency",
    "eur",
    "--supplier",
    supplierId,
  );
  const taken = await runScrip([...args, "--json"], env);
  assert.equal(taken.code, 0, taken.stderr);
  const { imported, refused, cost } = JSON.parse(taken.stdout);
  assert.deepEqual(
    { imported, refused, cost },
    {
      imported: 1,
      refused: 2,
      cost: { amount: 100_850, currency: "EUR", minorUnitExponent: 2 },
    },
  );
  assert.match(
    taken.stderr,
    /^line 3: expiresAt: [\s\S]*line 4: code: is known already[\s\S]*left out 2 invalid row/,
  );
  const none = await runScrip([...args], env);
  assert.equal(none.code, 1);
  assert.match(none.stderr, /nothing was imported/);
});

test("no import result prints a code, and no table contains one", async () => {
  const planted = ["PLANTED-CODE-90210", "PLANTED-PIN-90210", "PLANTED-SERIAL-90210"];
  const row = planted.join(",");
  const header = "code,pin,serial";
  const texts = [
    `${header}\n${row}\n`,
    // Known already, faulty in each way, without a header, and with a quote left open.
    `${header}\n${row}\n`,
    `${header}\nTEST-${row}\n${row},\n${planted[0]}\u0007,,\n${planted[0]},${planted[0]}\n`,
    `${row}\n${row}\n`,
    `${header}\n"${row}\n${row}\n`,
    `${header},expiresAt\n${row},${planted[0]}\n`,
  ];
  const printed: string[] = [];
  for (const [index, text] of texts.entries()) {
    const file = await stockFile(`planted-${index}.csv`, text);
    const debug = { ...env, LOG_LEVEL: "debug" };
    const { code, stdout, stderr } = await runScrip(importArgs(file, "--supplier", supplierId), debug);
    assert.equal(code, index === 0 ? 0 : 1, stderr);
    printed.push(stdout, stderr);
  }
  for (const text of planted) {
    for (const disguise of disguisesOf(text))
      assert.equal(printed.join("").includes(disguise), false, disguise);
    assert.deepEqual(await findPlanted(database.db, text), []);
  }
});

const REFUSED: [string, string[], number, RegExp][] = [
  ["an import without a product", ["stock", "import", "x.csv"], 2, /required option '--product/],
  [
    "an import without a file",
    ["stock", "import", "--product", "card"],
    2,
    /missing required argument 'file'/,
  ],
  [
    "a file that is not there",
    ["stock", "import", "--product", "game", "none.csv"],
    1,
    /cannot read none.csv/,
  ],
  ["an unknown product", ["stock", "import", "--product", "none", "x.csv"], 1, /there is no product none/],
  [
    "several suppliers to choose from",
    ["stock", "import", "--product", "card", "x.csv"],
    1,
    /say which with --supplier/,
  ],
  ["a level of an unknown product", ["stock", "level", "--product", "none"], 1, /there is no product none/],
];

test("a mistake is refused with its reason on standard error", { concurrency: 2 }, async (t) => {
  await Promise.all(
    REFUSED.map(([what, args, code, reason]) =>
      t.test(`${what}: exit ${code}`, async () => {
        const finished = await runScrip(args, env);
        assert.deepEqual([finished.code, finished.stdout], [code, ""], finished.stderr);
        assert.match(finished.stderr, reason);
      }),
    ),
  );
});
