import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createTestDatabase, type TestDatabase } from "../../../../testing/database/test-database.ts";
import { openScripDesk, type ScripDesk } from "../../../../testing/processes/scrip-desk.ts";

type Listed = {
  data: {
    productId: string;
    priceList?: string;
    resellerId?: string;
    currency: string;
    reason: string;
    since: string;
    next: string;
  }[];
  resellers?: { id: string; warnings: string[] }[];
  nextCursor?: string;
};

let database: TestDatabase;
let folder: string;
let scrip: ScripDesk;
let resellerId: string;

const create = (currency: string, priceList: string) =>
  scrip.json<{ id: string; warnings?: string[] }>([
    ...["reseller", "create", "--name", "Shop", "--currency", currency, "--email", "a@b.example"],
    ...["--price-list", priceList],
  ]);
const list = (...options: string[]) => scrip.json<Listed>(["catalog", "not-for-sale", ...options]);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-sale-"));
  database = await createTestDatabase();
  scrip = openScripDesk({ DATABASE_URL: database.connectionString, DATA_DIR: folder });
  const path = join(folder, "catalog.json");
  const products = ["dear", "loose"].map((id) => ({
    id,
    name: id,
    faceValue: { amount: "10", currency: "USD" },
  }));
  await writeFile(path, JSON.stringify({ products }));
  await scrip.json(["catalog", "import", path]);
  resellerId = (await create("USD", "standard")).id;
  const config = join(folder, "supplier.json");
  await writeFile(
    config,
    JSON.stringify({ baseUrl: "https://supplier.example", apiKey: `sc_live_${"a".repeat(38)}` }),
  );
  const { id } = await scrip.json<{ id: string }>([
    "supplier",
    "add",
    "--kind",
    "scrip",
    "--name",
    "Up",
    "--config",
    config,
  ]);
  const route = [
    "supplier",
    "route",
    "--product",
    "dear",
    "--supplier",
    id,
    "--priority",
    "1",
    "--cost",
    "9.90",
  ];
  await scrip.json([...route, "--currency", "USD"]);
  await scrip.json(["rule", "set", "--for", "all", "--on", "all", "--kind", "over_cost", "--value", "4.5%"]);
});
after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

test("each entry has its reason, since when, and the next step, without a running server", async () => {
  const { data, ...rest } = await list();
  assert.deepEqual(rest, {});
  assert.deepEqual(
    data.map(({ since: _, ...one }) => one),
    [
      {
        ...{ productId: "loose", priceList: "standard", currency: "USD", reason: "no_route" },
        next: "Import stock or add a route: scrip supplier route.",
      },
      {
        ...{ productId: "dear", priceList: "standard", currency: "USD", reason: "above_face_value" },
        next: "Lower the rule, or let it pass the face value: scrip rule set --allow-above-face. Or buy it cheaper.",
      },
    ],
  );
  assert.ok(data.every(({ since }) => Math.abs(Date.parse(since) - Date.now()) < 600_000));
  const page = await list("--limit", "1");
  assert.deepEqual(
    page.data.map(({ productId }) => productId),
    ["loose"],
  );
  const next = await list("--after", page.nextCursor ?? "");
  assert.deepEqual(
    next.data.map(({ productId }) => productId),
    ["dear"],
  );
  assert.match(
    (await scrip.run(["catalog", "not-for-sale"])).stdout,
    /dear +list standard +USD +Price would pass/,
  );
});

test("an unlisted product is an entry of its reseller", async () => {
  const listing = ["listing", "set", "--product", "dear", "--reseller", resellerId, "--listed", "no"];
  await scrip.json(listing);
  const { data } = await list("--reason", "unlisted");
  assert.deepEqual(
    data.map(({ productId, resellerId: owner, priceList }) => [productId, owner, priceList]),
    [["dear", resellerId, undefined]],
  );
});

test("prices that the rules withhold are counted, although nothing was on sale before", async () => {
  const done = await scrip.json<{ withheld: number; proposals: number }>(["price", "propose"]);
  assert.deepEqual([done.withheld, done.proposals], [2, 0]);
  assert.match(
    (await scrip.run(["price", "propose"])).stdout,
    /2 withheld\.\nSee which, and why: scrip catalog not-for-sale/,
  );
});

test("a reseller without a rate and with a list that nothing names is made, warned about, and in the list", async () => {
  const { id, warnings = [] } = await create("CHF", "glod");
  assert.equal(warnings.length, 2);
  assert.match(warnings[0] ?? "", /names the price list "glod"/);
  assert.match(warnings[1] ?? "", /no exchange rate USD\/CHF/);
  const { data, resellers } = await list("--price-list", "glod");
  assert.deepEqual(
    data.map(({ productId, reason }) => [productId, reason]),
    [
      ["loose", "no_route"],
      ["dear", "no_rate"],
    ],
  );
  assert.deepEqual(
    resellers?.map((one) => one.id),
    [id],
  );
  const updated = await scrip.run(["reseller", "update", id, "--price-list", "standard"]);
  assert.equal(updated.code, 0);
  assert.match(updated.stderr, /warning: There is no exchange rate USD\/CHF/);
  assert.doesNotMatch(updated.stderr, /glod/);
});
