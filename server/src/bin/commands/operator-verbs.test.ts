import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestDatabase, type TestDatabase } from "../../../testing/database/test-database.ts";
import { openScripDesk, type ScripDesk } from "../../../testing/processes/scrip-desk.ts";
import { wideTest } from "../../../testing/wide-test.ts";

let database: TestDatabase;
let folder: string;
let scrip: ScripDesk;
let resellerId: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-verbs-"));
  database = await createTestDatabase();
  scrip = openScripDesk({ DATABASE_URL: database.connectionString, DATA_DIR: folder });
  const products = ["card-5", "card-10", "game"].map((id) => ({
    id,
    name: `The ${id}`,
    faceValue: { amount: "5", currency: "USD" },
  }));
  await scrip.json(["catalog", "import", await file("catalog.json", JSON.stringify({ products }))]);
  const args = ["--name", "Corner Shop", "--currency", "USD", "--email", "owner@corner.example"];
  resellerId = (await scrip.json<{ id: string }>(["reseller", "create", ...args])).id;
});

after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function file(name: string, content: string): Promise<string> {
  await writeFile(join(folder, name), content);
  return join(folder, name);
}

async function assertFails(args: readonly string[], code: number, reason: RegExp): Promise<string> {
  const finished = await scrip.run(args);
  assert.equal(finished.code, code, finished.stderr);
  assert.match(finished.stderr, reason);
  assert.equal(finished.stdout, "");
  return finished.stderr;
}

/** What a person reads of a command that works. */
async function text(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await scrip.run(args);
  assert.equal(code, 0, stderr);
  return stdout;
}

const idsOf = ({ data }: { data: { id: string }[] }): string[] => data.map(({ id }) => id);

test("catalog list and search find products by id, name, type and state, in pages", async () => {
  assert.deepEqual(idsOf(await scrip.json(["catalog", "list"])), ["card-10", "card-5", "game"]);
  const page = await scrip.json<{ data: { id: string }[]; hasMore: boolean }>([
    "catalog",
    "list",
    "--limit",
    "2",
  ]);
  assert.deepEqual([idsOf(page), page.hasMore], [["card-10", "card-5"], true]);
  assert.deepEqual(idsOf(await scrip.json(["catalog", "list", "--after", "card-5"])), ["game"]);
  assert.deepEqual(idsOf(await scrip.json(["catalog", "search", "THE", "card", "5"])), ["card-5"]);
  assert.deepEqual(idsOf(await scrip.json(["catalog", "search", "car_-5"])), [], "_ is no wildcard");
  assert.match((await scrip.run(["catalog", "search", "nothing"])).stdout, /No product/);
});

test("catalog show changes nothing; unhide reverses hide", async () => {
  assert.equal((await scrip.json<{ hidden: boolean }>(["catalog", "hide", "game"])).hidden, true);
  assert.equal((await scrip.json<{ hidden: boolean }>(["catalog", "show", "game"])).hidden, true);
  const { stdout } = await scrip.run(["catalog", "show", "game"]);
  assert.match(stdout, /^Hidden +yes$/m);
  assert.deepEqual(idsOf(await scrip.json(["catalog", "list", "--hidden"])), ["game"]);
  assert.equal((await scrip.json<{ hidden: boolean }>(["catalog", "unhide", "game"])).hidden, false);
  await assertFails(["catalog", "show", "none"], 1, /no product none/);
});

test("price set warns about an unused list and about prices with precedence; a strike below the price is refused", async () => {
  const set = ["price", "set", "--product", "card-5", "--amount", "4.50"];
  const unused = await scrip.run([...set, "--list", "gold", "--currency", "USD"]);
  assert.equal(unused.code, 0);
  assert.match(unused.stderr, /^warning: no reseller uses the list gold in USD/);
  assert.equal((await scrip.run([...set, "--list", "standard", "--currency", "USD"])).stderr, "");
  await scrip.run([...set, "--reseller", resellerId]);
  const shadowed = await scrip.run([...set, "--list", "standard", "--currency", "USD"]);
  assert.match(shadowed.stderr, /^warning: 1 reseller of this list has their own price/);
  const own = [...set, "--reseller", resellerId];
  await assertFails([...own, "--strike", "4.49"], 1, /strike price 4.49 is below the price 4.50/);
  assert.equal((await scrip.run([...own, "--strike", "4.50"])).code, 0);
});

test("price remove removes a price, and fails when there is none", async () => {
  const own = ["price", "remove", "--product", "card-5", "--reseller", resellerId];
  const removed = await scrip.json<{ price: { amount: number } }>(own);
  assert.equal(removed.price.amount, 450);
  await assertFails(own, 1, /has no price for/);
  const list = ["--list", "gold", "--currency", "USD"];
  assert.equal((await scrip.run(["price", "remove", "--product", "card-5", ...list])).code, 0);
  const { data } = await scrip.json<{ data: object[] }>(["price", "list"]);
  assert.equal(data.length, 1);
});

test("price import sets all prices of a file, with semicolons and a BOM too, or names every invalid row and sets none", async () => {
  const good = await file(
    "prices.csv",
    `\ufeffproduct;list;reseller;currency;amount;strike\ncard-5;standard;;USD;4.40;5.00\ncard-10;;${resellerId};;9;\n`,
  );
  assert.deepEqual(await scrip.json(["price", "import", good]), { created: 1, updated: 1, unchanged: 0 });
  assert.deepEqual(await scrip.json(["price", "import", good]), { created: 0, updated: 0, unchanged: 2 });
  const rows = [
    "game,standard,,USD,1.00,",
    "none,standard,,USD,1.00,",
    "game,standard,rsl_none,USD,1.00,",
    "game,,rsl_none,USD,1.00,",
    `game,,${resellerId},EUR,1.00,`,
    "game,standard,,USD,1.001,",
    "game,standard,,USD,1.00,0.99",
    "game,standard,,USD,2.00,",
  ];
  const bad = await file("bad.csv", `product,list,reseller,currency,amount,strike\n${rows.join("\n")}\n`);
  const told = await assertFails(["price", "import", bad], 1, /nothing was imported: 7 invalid row/);
  assert.deepEqual(
    [...told.matchAll(/^line (\d+)/gm)].map(([, line]) => Number(line)).sort(),
    [3, 4, 5, 6, 7, 8, 9],
  );
  assert.deepEqual((await scrip.json<{ data: object[] }>(["price", "list", "--product", "game"])).data, []);
  await assertFails(["price", "import", await file("no.csv", "a,b\n1,2\n")], 1, /unknown column "a"/);
  assert.deepEqual(
    [...told.matchAll(/^line \d+: (\w+): /gm)].map(([, column]) => column).sort(),
    ["amount", "currency", "list", "product", "product", "reseller", "strike"],
    "each fault begins with its column",
  );
  const half = await scrip.run(["price", "import", bad, "--take-good", "--json"]);
  assert.deepEqual(
    [half.code, JSON.parse(half.stdout)],
    [0, { created: 1, updated: 0, unchanged: 0, refused: 7 }],
  );
  assert.match(half.stderr, /line 3: product: there is no product "none"[\s\S]*left out 7 invalid row/);
  const halfCatalog = await file(
    "half.csv",
    "id,name,faceValue.amount,faceValue.currency\nnew-1,New,5,USD\nb c,X,5,USD\n",
  );
  await assertFails(["catalog", "import", halfCatalog], 1, /nothing was imported: 1 invalid row/);
  assert.deepEqual(await scrip.json(["catalog", "import", halfCatalog, "--take-good"]), {
    ...{ created: 1, updated: 0, unchanged: 0, refused: 1 },
  });
});

wideTest("ten thousand prices take a few seconds, not one start-up each", async () => {
  const products = Array.from({ length: 5_000 }, (_, index) => `p-${index},P,1,USD`);
  const header = "id,name,faceValue.amount,faceValue.currency";
  await scrip.json(["catalog", "import", await file("many.csv", `${header}\n${products.join("\n")}\n`)]);
  const prices = ["USD", "EUR"].flatMap((currency) =>
    Array.from({ length: 5_000 }, (_, index) => `p-${index},standard,${currency},1.50`),
  );
  const csv = await file("many-prices.csv", `product,list,currency,amount\n${prices.join("\n")}\n`);
  const counts = await scrip.json<{ created: number }>(["price", "import", csv]);
  assert.equal(counts.created, 10_000);
});

test("routes are imported, listed and removed in bulk; empty cells keep their values", async () => {
  const add = ["supplier", "add", "--kind", "stock", "--name", "Warehouse"];
  const { id } = await scrip.json<{ id: string }>(add);
  const header = "product,supplier,priority,cost,currency,sku";
  const first = `${header}\ncard-5,${id},100,4.10,,A-5\ncard-10,${id},100,8.20,EUR,\n`;
  assert.deepEqual(await scrip.json(["route", "import", await file("routes.csv", first)]), {
    created: 2,
    updated: 0,
    unchanged: 0,
  });
  const again = `${header}\ncard-5,${id},50,4.00,,\ncard-10,${id},100,8.20,,\n`;
  assert.deepEqual(await scrip.json(["route", "import", await file("routes.csv", again)]), {
    created: 0,
    updated: 1,
    unchanged: 1,
  });
  const { data } = await scrip.json<{ data: object[] }>(["route", "list", "--supplier", id]);
  const known = { supplierId: id, supplierName: "Warehouse", supplierEnabled: true };
  assert.deepEqual(data, [
    { ...known, productId: "card-10", priority: 100, cost: usd(820, "EUR"), sku: "card-10" },
    { ...known, productId: "card-5", priority: 50, cost: usd(400), sku: "A-5" },
  ]);
  const faulty = `${header}\nnone,${id},1,1,,\ncard-5,sup_none,1,1,,\ncard-5,${id},x,1,,\ncard-5,${id},1,1,,\n`;
  await assertFails(["route", "import", await file("bad-routes.csv", faulty)], 1, /: 4 invalid row/);
  const page = await scrip.json<{ hasMore: boolean }>(["route", "list", "--limit", "1"]);
  assert.equal(page.hasMore, true);
  assert.match((await scrip.run(["route", "list", "--limit", "1"])).stdout, /--after card-10\/sup_/);
  const removed = ["route", "remove", "--product", "card-10", "--supplier", id];
  assert.equal((await scrip.json<{ removed: boolean }>(removed)).removed, true);
  await assertFails(removed, 1, /no route/);
});

const usd = (amount: number, currency = "USD") => ({ amount, currency, minorUnitExponent: 2 });

test("supplier update changes name, rate and key, keeps the routes, and guards the address", async () => {
  const config = (baseUrl: string) => JSON.stringify({ baseUrl, apiKey: `sc_live_${"a".repeat(38)}` });
  const first = await file("upstream.json", config("https://one.example"));
  const add = ["supplier", "add", "--kind", "scrip", "--name", "Upstream", "--config", first];
  const { id } = await scrip.json<{ id: string }>(add);
  const changed = await scrip.json<{ name: string; ratePerSecond: number }>([
    ...["supplier", "update", id, "--name", "Other", "--rate", "7", "--config", first],
  ]);
  assert.deepEqual([changed.name, changed.ratePerSecond], ["Other", 7]);
  const elsewhere = await file("elsewhere.json", config("https://two.example"));
  const move = ["supplier", "update", id, "--config", elsewhere];
  await assertFails(move, 1, /first run: scrip supplier disable/);
  await scrip.json(["supplier", "disable", id]);
  await scrip.json(move);
  await assertFails(["supplier", "update", id], 2, /nothing to change; see: scrip supplier update --help/);
  await assertFails(
    ["supplier", "update", id, "--name", "Warehouse"],
    1,
    /supplier named "Warehouse" already/,
  );
});

test("supplier update answers with what was changed, and supplier show says how a supplier stands", async () => {
  const add = ["supplier", "add", "--kind", "stock", "--name", "Shelf"];
  const { id } = await scrip.json<{ id: string }>(add);
  const changed = await text(["supplier", "update", id, "--rate", "7"]);
  assert.match(changed, /^changed sup_\w+ \(Shelf\): purchases per second 7$/m);
  const config = await file(
    "balance.json",
    JSON.stringify({ baseUrl: "https://one.example", apiKey: `sc_live_${"b".repeat(38)}` }),
  );
  const remote = ["supplier", "add", "--kind", "scrip", "--name", "Afar", "--config", config];
  const afar = await scrip.json<{ id: string }>(remote);
  await database.db.rows(sql`
    update suppliers set balance_minor = 1250, balance_currency = 'USD', balance_at = now() where id = ${afar.id}`);
  const answered = await text([
    "supplier",
    "update",
    afar.id,
    "--balance-alert",
    "500.00",
    "--headroom",
    "3%",
  ]);
  assert.match(answered, /\(Afar\): alert below 500\.00, headroom 3%$/m);
  assert.doesNotMatch(answered, /per second/);
  const shown = await text(["supplier", "show", afar.id]);
  assert.match(shown, /Balance +12\.50 USD, read at/);
  assert.match(shown, /Alert below +500\.00 USD/);
  assert.match(shown, /Last 7 days +0 purchases/);
  const view = await scrip.json<Record<string, unknown>>(["supplier", "show", id]);
  assert.deepEqual([view.name, view.state, view.routes, view.ratePerSecond], ["Shelf", "enabled", 0, 7]);
  await assertFails(
    ["supplier", "show", "sup_none"],
    1,
    /there is no supplier sup_none; see: scrip supplier list/,
  );
});

test("system says what runs, and staff has no column for resellers", async () => {
  const shown = await text(["system"]);
  assert.match(shown, /Last audit +never; run: scrip audit/);
  assert.match(shown, /No process serves this database\. Start one: scrip start/);
  const view = await scrip.json<{ version: string; processes: unknown[]; masterKeyIds: string[] }>([
    "system",
  ]);
  assert.deepEqual([view.processes, view.masterKeyIds.length], [[], 1]);
  await scrip.json(["staff", "invite", "--email", "ada@scrip.example", "--role", "admin"]);
  const staff = await text(["staff", "list"]);
  assert.match(staff, /^ID +EMAIL +ROLE/);
  assert.doesNotMatch(staff, /RESELLER/);
  const invited = [
    "user",
    "invite",
    "--email",
    "eve@shop.example",
    "--role",
    "owner",
    "--reseller",
    resellerId,
  ];
  await scrip.json(invited);
  assert.match(await text(["user", "list"]), /RESELLER/);
});

test("reseller update changes what is given and leaves the rest", async () => {
  const update = ["reseller", "update", resellerId];
  const changed = await scrip.json<Record<string, unknown>>([
    ...update,
    "--name",
    "Shop",
    "--price-list",
    "gold",
  ]);
  assert.deepEqual(
    [changed.name, changed.email, changed.priceList],
    ["Shop", "owner@corner.example", "gold"],
  );
  await assertFails(update, 2, /at least one of --name/);
  await assertFails([...update, "--email", "nobody"], 1, /not an e-mail address/);
  await scrip.json([...update, "--price-list", "standard"]);
});

test("key create refuses a time in the past or without a time zone", async () => {
  const create = ["key", "create", "--reseller", resellerId, "--env", "test", "--expires-at"];
  await assertFails([...create, "2020-01-01T00:00:00Z"], 2, /--expires-at must be in the future/);
  await assertFails([...create, "tomorrow"], 2, /--expires-at must be a time/);
  await assertFails(
    [...create, "2099-01-01T00:00:00"],
    2,
    /--expires-at needs a time zone: 2099-01-01T00:00:00Z/,
  );
  assert.equal((await scrip.run([...create, "2099-01-01"])).code, 0);
});

test("wallet statement is bounded by --from and --to", async () => {
  const wallet = ["--reseller", resellerId, "--env", "test"];
  const entries = async (...range: string[]) =>
    (await scrip.json<{ data: object[] }>(["wallet", "statement", ...wallet, ...range])).data.length;
  assert.equal(await entries(), 1);
  assert.equal(await entries("--from", "2020-01-01", "--to", "2099-01-01"), 1);
  assert.equal(await entries("--to", "2020-01-01"), 0);
  assert.equal(await entries("--from", "2099-01-01T00:00:00Z"), 0);
  await assertFails(["wallet", "statement", ...wallet, "--from", "May"], 2, /--from must be a time/);
  const local = ["wallet", "statement", ...wallet, "--to", "2099-01-01T00:00:00.5"];
  await assertFails(local, 2, /--to needs a time zone/);
});
