import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { disguisesOf, findPlanted } from "../../../../testing/builders/find-planted.ts";
import { addStockRow, addUnsuppliedProducts } from "../../../../testing/builders/supply-builders.ts";
import { createTestDatabase, type TestDatabase } from "../../../../testing/database/test-database.ts";
import { runScrip, scripJson } from "../../../../testing/processes/run-scrip.ts";
import { secret } from "../../../lib/secret.ts";
import { getNotFoundRule } from "../../../suppliers/look-ups/not-found-rule.ts";
import { unsealSupplierConfig } from "../../../suppliers/supplier-config.ts";
import { fixedKeyring } from "../../../vault/keyring.ts";

const MASTER_KEY = Buffer.alloc(32, 5);
const API_KEY = `sc_live_${"Pl4nted".repeat(5)}xyz`;
const BASE_URL = "https://planted.upstream.example";

let database: TestDatabase;
let folder: string;
let env: Record<string, string>;
let config: string;
let stockId: string;
let scripId: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-supplier-commands-"));
  database = await createTestDatabase();
  env = { DATABASE_URL: database.connectionString, SCRIP_MASTER_KEY: MASTER_KEY.toString("base64") };
  await addUnsuppliedProducts(database.db, ["card", "game"]);
  config = join(folder, "upstream.json");
  await writeFile(config, JSON.stringify({ baseUrl: BASE_URL, apiKey: API_KEY }));
});

after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const add = (kind: string, name: string, ...args: string[]): string[] => [
  "supplier",
  "add",
  "--kind",
  kind,
  "--name",
  name,
  ...args,
];

const route = (supplierId: string, ...args: string[]): string[] => [
  "supplier",
  "route",
  "--product",
  "card",
  "--supplier",
  supplierId,
  ...args,
];

const rule = (...args: string[]): string[] => ["supplier", "update", scripId, ...args];

const supplyOf = async (productId: string) =>
  (
    await database.db.rows<{ state: string }>(
      sql`select state from product_supply where product_id = ${productId}`,
    )
  )[0]?.state;

type Supplier = { id: string; kind: string; name: string; createdAt: string };

test("supplier add prints id, kind, name and time; a config is stored encrypted and never printed", async () => {
  const stock = await scripJson<Supplier>(add("stock", "Shelf", "--rate", "7"), env);
  const scrip = await scripJson<Supplier>(add("scrip", "Upstream", "--config", config), env);
  [stockId, scripId] = [stock.id, scrip.id];
  assert.match(stock.id, /^sup_[0-9a-z]{26}$/);
  assert.deepEqual(stock, { id: stockId, kind: "stock", name: "Shelf", createdAt: stock.createdAt });
  assert.deepEqual(scrip, { id: scripId, kind: "scrip", name: "Upstream", createdAt: scrip.createdAt });
  assert.match(scrip.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const [row] = await database.db.rows<{ sealedConfig: Buffer }>(
    sql`select sealed_config as "sealedConfig" from suppliers where id = ${scripId}`,
  );
  assert.ok(row);
  const opened = unsealSupplierConfig(fixedKeyring([secret(MASTER_KEY)]), { id: scripId, ...row });
  assert.deepEqual({ ...(opened as object) }, { baseUrl: BASE_URL, apiKey: API_KEY });
});

test("supplier list shows rate, routes, stock and breaker, as JSON and as a table", async () => {
  const { db } = database;
  await addStockRow(db, { productId: "card", supplierId: stockId });
  await addStockRow(db, {
    productId: "card",
    supplierId: stockId,
    expiresAt: new Date("2020-01-01T00:00:00Z"),
  });
  await db.rows(sql`
    update suppliers set consecutive_failures = 6, open_until = '2099-01-01T00:00:00Z' where id = ${scripId}`);
  await db.rows(sql`
    update suppliers set consecutive_failures = 1, open_until = '2020-01-01T00:00:00Z' where id = ${stockId}`);
  const { data } = await scripJson<{ data: Record<string, unknown>[] }>(["supplier", "list"], env);
  assert.deepEqual(
    data.map(({ createdAt: _, ...row }) => row),
    [
      {
        id: stockId,
        kind: "stock",
        name: "Shelf",
        enabled: true,
        ratePerSecond: 7,
        routes: 0,
        stockLevel: 1,
        breaker: { state: "closed", consecutiveFailures: 1 },
      },
      {
        id: scripId,
        kind: "scrip",
        name: "Upstream",
        enabled: true,
        ratePerSecond: 50,
        routes: 0,
        breaker: { state: "open", openUntil: "2099-01-01T00:00:00.000Z", consecutiveFailures: 6 },
      },
    ],
  );
  const { stdout } = await runScrip(["supplier", "list"], env);
  const cells = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
  assert.deepEqual(cells, [
    ["ID", "KIND", "NAME", "STATE", "STOCK", "ROUTES", "RATE"],
    [stockId, "stock", "Shelf", "enabled", "1", "0", "7/s"],
    [scripId, "scrip", "Upstream", "paused until 2099-01-01 00:00", "0", "50/s"],
  ]);
});

test("supplier route, disable, enable and --remove change what can be bought live", async () => {
  // A supplier that is left alone for long has nothing to sell.
  await database.db.rows(sql`update suppliers set consecutive_failures = 0, open_until = null`);
  const set = await scripJson(route(scripId, "--priority", "5", "--cost", "8.10", "--sku", "UP-1"), env);
  const cost = { amount: 810, currency: "USD", minorUnitExponent: 2 };
  const expected = { productId: "card", supplierId: scripId, priority: 5, cost, sku: "UP-1" };
  assert.deepEqual(set, expected);
  assert.equal(await supplyOf("card"), "available");

  const changed = await runScrip(route(scripId, "--priority", "0", "--cost", "7", "--currency", "KWD"), env);
  assert.equal(changed.stdout, `card is bought from ${scripId} as UP-1, priority 0, cost 7.000 KWD\n`);
  const most = await runScrip(route(scripId, "--priority", "0", "--cost", "7", "--max-cost", "7.5"), env);
  assert.match(most.stdout, /, cost 7\.000 KWD, up to 7\.500 KWD\n$/);

  const disabled = await scripJson<{ enabled: boolean }>(["supplier", "disable", scripId], env);
  assert.equal(disabled.enabled, false);
  assert.equal(await supplyOf("card"), undefined);
  const enabled = await runScrip(["supplier", "enable", scripId], env);
  assert.deepEqual(enabled, { code: 0, stdout: `${scripId} (Upstream) is enabled\n`, stderr: "" });
  assert.equal(await supplyOf("card"), "available");

  const removed = await scripJson<{ removed: boolean; sku: string }>(route(scripId, "--remove"), env);
  assert.deepEqual([removed.removed, removed.sku], [true, "UP-1"]);
  assert.equal(await supplyOf("card"), undefined);
});

test("supplier statement shows sums and purchases that need attention, within the given times, and never a code", async () => {
  const { db } = database;
  await db.rows(sql`
    insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                   cost_minor, cost_currency, status, sends, opened_at, resolved_at)
    values ('ord_a', 0, 0, 1, 'live', 'card', ${scripId}, 'UP-1', 810, 'USD', 'delivered', 1, '2030-01-01T10:00Z', now()),
           ('ord_b', 0, 3, 1, 'live', 'card', ${scripId}, 'UP-1', 820, 'USD', 'open', 1, '2030-01-02T10:00Z', null)`);
  const shown = await scripJson<{ data: object[]; attempts: object[]; hasMoreAttempts: boolean }>(
    ["supplier", "statement", "--supplier", scripId],
    env,
  );
  assert.deepEqual(shown, {
    data: [
      {
        supplierId: scripId,
        supplierName: "Upstream",
        currency: "USD",
        bought: 1,
        delivered: 1,
        quarantined: 0,
        refused: 0,
        notMade: 0,
        unknown: 1,
        cost: { amount: 810, currency: "USD", minorUnitExponent: 2 },
        unknownCost: { amount: 820, currency: "USD", minorUnitExponent: 2 },
      },
    ],
    attempts: [
      {
        supplierId: scripId,
        orderId: "ord_b",
        lineIndex: 0,
        unitIndex: 3,
        attempt: 1,
        productId: "card",
        status: "unknown",
        reason: "no_answer",
        openedAt: "2030-01-02T10:00:00.000Z",
      },
    ],
    hasMoreAttempts: false,
  });
  const before = await scripJson<typeof shown>(
    ["supplier", "statement", "--from", "2030-01-01", "--to", "2030-01-02T10:00:00Z"],
    env,
  );
  assert.deepEqual([before.data.length, before.attempts], [1, []]);
  const { stdout } = await runScrip(["supplier", "statement"], env);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
  assert.deepEqual(lines[1], [scripId, "Upstream", "1", "1", "0", "0", "0", "1", "8.10 USD", "8.20 USD"]);
  assert.deepEqual(lines[4], [
    "unknown",
    "no_answer",
    "ord_b",
    "0",
    "3",
    "card",
    scripId,
    "2030-01-02 10:00",
  ]);
});

test("supplier update sets when a purchase counts as not made, and says what was changed", async () => {
  const first = await scripJson<{ changed: object }>(rule("--not-found-times", "1"), env);
  assert.deepEqual(first.changed, { notFoundTimes: "1" });
  const changed = await runScrip(rule("--not-found-over", "1m", "--resend-after", "90s"), env);
  assert.match(changed.stdout, /from the first to the last: 1m, nothing is sent again within 90s/);
  await runScrip(rule("--not-made-per-hour", "0"), env);
  assert.deepEqual(await getNotFoundRule(database.db, scripId), {
    ...{ times: 1, overMs: 60_000, resendAfterMs: 90_000, perHour: 0 },
  });
});

const REFUSED: [string, () => string[], number, RegExp][] = [
  ["a kind that is none", () => add("shop", "X"), 2, /--kind must be stock or scrip/],
  ["a name that is taken", () => add("stock", " Shelf "), 1, /there is a supplier named "Shelf" already/],
  ["a name of nothing", () => add("stock", "  "), 1, /a supplier's name has 1 to 200/],
  ["a rate of nothing", () => add("stock", "X", "--rate", "0"), 1, /a supplier's rate is 1 to 10000/],
  ["a rate that is none", () => add("stock", "X", "--rate", "fast"), 2, /--rate must be an integer/],
  ["stock with a config", () => add("stock", "X", "--config", config), 2, /takes no --config/],
  ["scrip without one", () => add("scrip", "X"), 2, /needs --config FILE/],
  [
    "a config that is not there",
    () => add("scrip", "X", "--config", "none.json"),
    1,
    /cannot read none.json/,
  ],
  ["an unknown supplier", () => ["supplier", "disable", "sup_none"], 1, /there is no supplier sup_none/],
  ["a route without a cost", () => route(stockId, "--priority", "1"), 2, /--cost is required/],
  ["a route without a priority", () => route(stockId, "--cost", "1"), 2, /--priority is required/],
  ["a priority below zero", () => route(stockId, "--priority", "-1", "--cost", "1"), 2, /must be an integer/],
  [
    "a cost too fine",
    () => route(stockId, "--priority", "1", "--cost", "1.001"),
    1,
    /too many decimals: USD/,
  ],
  [
    "--remove with a maximum",
    () => route(stockId, "--remove", "--max-cost", "1"),
    2,
    /cannot be used with --max-cost/,
  ],
  ["--remove with a cost", () => route(stockId, "--remove", "--cost", "1"), 2, /cannot be used with --cost/],
  ["a route that is not there", () => route(stockId, "--remove"), 1, /there is no route of card/],
  ["a time that is none", () => ["supplier", "statement", "--from", "monday"], 2, /--from must be a time/],
  ["a rule without look-ups", () => rule("--not-found-times", "0"), 1, /--not-found-times is from 1 to 100/],
  ["look-ups that are none", () => rule("--not-found-times", "x"), 2, /--not-found-times must be an integer/],
  ["a rule over seconds", () => rule("--not-found-over", "59s"), 1, /--not-found-over is from 1m to 24h/],
  ["a lag of a day", () => rule("--resend-after", "1d"), 1, /--resend-after is from 0 to 60m/],
  ["a lag that is none", () => rule("--resend-after", "soon"), 2, /--resend-after must be a duration/],
  ["nothing to update", () => rule(), 2, /nothing to change/],
  [
    "a rule for own stock",
    () => ["supplier", "update", stockId, "--resend-after", "1m"],
    1,
    /nothing is looked up at a supplier with your own stock/,
  ],
  ["a list without end", () => ["supplier", "statement", "--limit", "1001"], 2, /--limit must be/],
];

test("a mistake is refused with its reason on standard error, and changes nothing", {
  concurrency: 2,
}, async (t) => {
  const state = () =>
    database.db.rows(
      sql`select s::text from suppliers s union all select r::text from supplier_routes r order by 1`,
    );
  const before = await state();
  await Promise.all(
    REFUSED.map(([what, args, code, reason]) =>
      t.test(`${what}: exit ${code}`, async () => {
        const finished = await runScrip(args(), env);
        assert.deepEqual([finished.code, finished.stdout], [code, ""], finished.stderr);
        assert.match(finished.stderr, reason);
      }),
    ),
  );
  assert.deepEqual(await state(), before);
});

test("no command prints the key of a supplier, even on errors, and no table contains it", async () => {
  const broken = join(folder, "broken.json");
  await writeFile(broken, `{"baseUrl": "${BASE_URL}", "apiKey": "${API_KEY}", "more": "${API_KEY}"}`);
  const debug = { ...env, LOG_LEVEL: "debug" };
  const printed: string[] = [];
  for (const args of [
    add("scrip", "Upstream", "--config", config),
    add("scrip", "Broken", "--config", broken),
    ["supplier", "list", "--json"],
    ["supplier", "statement", "--json"],
  ]) {
    const { stdout, stderr } = await runScrip(args, debug);
    printed.push(stdout, stderr);
  }
  assert.match(printed.join(""), /the config has a member other than/);
  for (const text of [API_KEY, BASE_URL]) {
    for (const disguise of disguisesOf(text)) assert.equal(printed.join("").includes(disguise), false);
    assert.deepEqual(await findPlanted(database.db, text), []);
  }
});
