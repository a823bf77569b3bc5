import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createTestDatabase, type TestDatabase } from "../../../../testing/database/test-database.ts";
import { openScripDesk, type ScripDesk } from "../../../../testing/processes/scrip-desk.ts";

let database: TestDatabase;
let folder: string;
let scrip: ScripDesk;
let resellerId: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-pricing-"));
  database = await createTestDatabase();
  scrip = openScripDesk({ DATABASE_URL: database.connectionString, DATA_DIR: folder });
  const products = ["card-5", "card-10"].map((id) => ({
    id,
    name: `The ${id}`,
    faceValue: { amount: id === "card-5" ? "5" : "10", currency: "USD" },
  }));
  await scrip.json(["catalog", "import", await file("catalog.json", JSON.stringify({ products }))]);
  const who = ["--name", "Corner Shop", "--currency", "EUR", "--email", "owner@corner.example"];
  resellerId = (await scrip.json<{ id: string }>(["reseller", "create", ...who])).id;
  const { id } = await scrip.json<{ id: string }>([
    "supplier",
    "add",
    "--kind",
    "stock",
    "--name",
    "Warehouse",
  ]);
  for (const [product, cost] of [
    ["card-5", "4.00"],
    ["card-10", "8.10"],
  ] as const)
    await scrip.json([
      ...["supplier", "route", "--product", product, "--supplier", id, "--priority", "1", "--cost", cost],
    ]);
});

after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

async function assertFails(args: readonly string[], code: number, reason: RegExp): Promise<void> {
  const finished = await scrip.run(args);
  assert.equal(finished.code, code, finished.stderr);
  assert.match(finished.stderr, reason);
}

const explain = () =>
  scrip.json<{
    price: { amountText: string; currency: string } | null;
    rule: { id: string; for: string; on: string; kind: string } | null;
    cost: { amountText: string };
    rate: { pair: string; rate: string; source: string } | null;
    landed: { amountText: string };
    floor: { amountText: string };
    floorReached: boolean;
    sentence: string;
  }>(["price", "explain", "--product", "card-10", "--reseller", resellerId]);

test("rates are pinned, imported and listed with their age", async () => {
  const day = new Date().toISOString().slice(0, 10);
  const xml = `<?xml version="1.0"?><gesmes:Envelope xmlns:gesmes="a" xmlns="b"><Cube><Cube time='${day}'><Cube currency='USD' rate='1.25'/><Cube currency='JPY' rate='160.5'/></Cube></Cube></gesmes:Envelope>`;
  const daily = await file("daily.xml", xml);
  assert.deepEqual(await scrip.json(["fx", "import", daily]), { date: day, rates: 2, imported: 2 });
  assert.match((await scrip.run(["fx", "import", daily])).stdout, /Imported|there already/);
  const server = createServer((_, response) => response.end(xml)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/daily.xml`;
  assert.equal((await scrip.json<{ rates: number }>(["fx", "import", address])).rates, 2);
  server.closeAllConnections();
  server.close();
  await assertFails(["fx", "import", address], 1, /gave no answer \(connection_failed\)/);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const pin = await scrip.json<{ usable: boolean }>([
    ...["fx", "set", "--pair", "USD/EUR", "--rate", "0.9215", "--until", until],
  ]);
  assert.equal(pin.usable, true);
  const { data } = await scrip.json<{ data: { pair: string; source: string }[] }>(["fx", "list"]);
  assert.deepEqual(
    data.map(({ pair, source }) => `${pair} ${source}`),
    ["EUR/JPY reference", "EUR/USD reference", "USD/EUR pin"],
  );
  assert.match((await scrip.run(["fx", "list"])).stdout, /USD\/EUR +0\.9215 +pin .* in force/);
  await assertFails(["fx", "set", "--pair", "USD/EURO", "--rate", "1"], 1, /is not a pair/);
  await assertFails(["fx", "set", "--pair", "USD/EUR", "--rate", "1,5"], 1, /is not a rate/);
  await assertFails(
    ["fx", "set", "--pair", "USD/EUR", "--rate", "1", "--until", "2020-01-01"],
    1,
    /in the future/,
  );
  await assertFails(["fx", "import", await file("page.html", "<!doctype html>")], 1, /not the XML/);
});

test("rules are set, proposed, published and explained in one sentence", async () => {
  const set = await scrip.json<{ id: string; value: string }>([
    ...[
      "rule",
      "set",
      "--for",
      "all",
      "--on",
      "all",
      "--kind",
      "over_cost",
      "--value",
      "4.5%",
      "--add",
      "0.10",
    ],
    ...["--min-margin", "1%", "--round", "0.05"],
  ]);
  assert.deepEqual([set.id.slice(0, 4), set.value], ["rul_", "4.5%"]);
  assert.match(
    (await scrip.run(["rule", "list"])).stdout,
    /AT LEAST +ROUND[\s\S]*1% above landed cost +0\.05/,
  );
  const proposed = await scrip.json<{
    proposals: number;
    data: {
      id: string;
      productId: string;
      list: string;
      new: { amountText: string };
      marginAfter: { amountText: string };
    }[];
  }>(["price", "propose"]);
  assert.deepEqual(
    proposed.data.map(
      (one) => `${one.productId} ${one.list} ${one.new.amountText} ${one.marginAfter.amountText}`,
    ),
    // 8.10 × 0.9215 = 7.46415; × 1.045 + 0.10 = 7.900…; up to 7.95. The landed cost is 7.47, rounded up.
    ["card-10 standard 7.95 0.48", "card-5 standard 4.00 0.31"],
  );
  assert.match((await scrip.run(["price", "propose"])).stdout, /card-10 +list standard +– +7\.95 EUR/);
  const [first] = proposed.data;
  assert.deepEqual(await scrip.json(["price", "publish", "--ids", first?.id ?? ""]), { published: 1 });
  assert.deepEqual(await scrip.json(["price", "publish", "--all"]), { published: 1 });
  const explained = await explain();
  assert.deepEqual(
    [explained.price?.amountText, explained.rule?.id, explained.cost.amountText, explained.rate?.rate],
    ["7.95", set.id, "8.10", "0.9215"],
  );
  assert.deepEqual(
    [explained.landed.amountText, explained.floor.amountText, explained.floorReached],
    ["7.47", "7.54", false],
  );
  const { stdout } = await scrip.run(["price", "explain", "--product", "card-10", "--reseller", resellerId]);
  assert.equal(stdout.trim(), explained.sentence.replace(/\d+ s old/, /\d+ s old/.exec(stdout)?.[0] ?? ""));
  assert.match(
    stdout,
    /costs 7\.95 EUR: 4\.5% above landed cost plus 0\.10, by rul_\S+ for all on all, rounded up to 0\.05/,
  );
  assert.match(
    stdout,
    /cost 8\.10 USD at 0\.9215 USD\/EUR \(pin, .* old\) is landed at 7\.47 EUR; the floor is 7\.54 EUR\.$/m,
  );
  await assertFails(["price", "publish"], 2, /either --all or --ids/);
  await assertFails(["price", "publish", "--ids", "999"], 1, /changed or are gone/);
});

test("a rule of a stronger scope wins, one of the same scope replaces it, and wrong ones are refused", async () => {
  const own = await scrip.json<{ id: string }>([
    ...[
      "rule",
      "set",
      "--for",
      `reseller:${resellerId}`,
      "--on",
      "product:card-10",
      "--kind",
      "fixed",
      "--value",
      "7.60",
    ],
  ]);
  assert.equal((await explain()).rule?.id, own.id);
  assert.equal((await explain()).price?.amountText, "7.60");
  assert.match(
    (await scrip.run(["rule", "list"])).stdout,
    /reseller:rsl_\S+ +product:card-10 +fixed at 7\.60 EUR/,
  );
  assert.equal((await scrip.json<{ id: string }>(["rule", "remove", own.id])).id, own.id);
  const rule = (...args: string[]) => ["rule", "set", "--for", "all", "--on", "all", ...args];
  await assertFails(rule("--kind", "over_cost", "--value", "a lot"), 1, /must be a percentage such as 4\.5%/);
  await assertFails(rule("--kind", "off_face", "--value", "101%"), 1, /at most 100%/);
  await assertFails(rule("--kind", "dear", "--value", "1%"), 1, /--kind must be fixed, off_face, over_cost/);
  await assertFails(rule("--kind", "fixed", "--value", "1.234"), 1, /too many decimals/);
  await assertFails(rule("--kind", "over_cost", "--value", "1%", "--round", "x.9"), 1, /is not a rounding/);
  await assertFails(
    rule("--kind", "over_cost", "--value", "1%", "--country", "Germany"),
    1,
    /is not a country/,
  );
  await assertFails(
    ["rule", "set", "--for", "list", "--on", "all", "--kind", "fixed", "--value", "1"],
    1,
    /--for must be/,
  );
  await assertFails(
    ["rule", "set", "--for", "all", "--on", "colour:red", "--kind", "fixed", "--value", "1"],
    1,
    /--on must be/,
  );
  await assertFails(["rule", "remove", "rul_none"], 1, /there is no rule/);
});

test("a hand-set price is the strongest; reports and routing have their commands", async () => {
  const price = [
    "price",
    "set",
    "--product",
    "card-10",
    "--list",
    "standard",
    "--currency",
    "EUR",
    "--amount",
    "6.00",
  ];
  await scrip.json(price);
  const explained = await explain();
  assert.deepEqual([explained.price?.amountText, explained.floorReached], ["6.00", true]);
  assert.match(explained.sentence, /set by hand; .*below the floor of 7\.47 EUR\.$/);
  for (const name of ["margin", "sales"]) {
    const args = [
      "report",
      name,
      "--by",
      "day,product,brand,reseller,supplier",
      "--from",
      "2030-01-01",
      "--to",
      "2030-02-01",
    ];
    const { data, totals } = await scrip.json<{ data: object[]; totals: object[] }>(args);
    assert.deepEqual([data, totals], [[], []]);
    assert.match(
      (await scrip.run([...args, "--csv"])).stdout,
      /^day,product,brand,reseller,supplier,currency,units,sold,refunded,net/,
    );
  }
  const months = ["--by", "month", "--from", "2030-01-01", "--to", "2030-02-01"];
  assert.match((await scrip.run(["report", "margin", ...months, "--csv"])).stdout, /^month,currency,units/);
  const period = ["--from", "2030-01-01", "--to", "2030-02-01"];
  assert.deepEqual(await scrip.json(["report", "lost", ...period]), { data: [], purchases: [] });
  assert.match((await scrip.run(["report", "lost", ...period])).stdout, /^Nothing was lost in this period\./);
  assert.match(
    (await scrip.run(["report", "lost", ...period, "--csv"])).stdout,
    /^supplier,cause,time,our_reference,supplier_number,product_number,expected,expected_currency,charged,given_back,lost,currency/,
  );
  await assertFails(["report", "lost", "--supplier", "sup_none", ...period], 1, /no supplier/i);
  await assertFails(
    ["report", "margin", "--by", "moon", "--from", "2030-01-01", "--to", "2030-02-01"],
    2,
    /--by must name/,
  );
  const routed = await scrip.json(["route", "choose", "--product", "card-10", "--by", "cheapest"]);
  assert.deepEqual(routed, { productId: "card-10", routing: "cheapest" });
  await assertFails(["route", "choose", "--product", "card-10", "--by", "mood"], 1, /priority or cheapest/);
});
