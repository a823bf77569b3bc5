import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addProducts } from "../../testing/builders/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { runScrip, scripJson } from "../../testing/processes/run-scrip.ts";
import {
  SUPPLIER_KINDS,
  type SupplierFake,
  startSupplierFake,
} from "../../testing/upstream/supplier-fakes.ts";
import { sale } from "../../testing/upstream/upstream-faults.ts";
import { GUIDES_FOLDER } from "../web/docs/read-guides.ts";

let database: TestDatabase;
let folder: string;
let env: Record<string, string>;
let fakes: Record<string, SupplierFake>;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-suppliers-guide-"));
  database = await createTestDatabase();
  env = { DATABASE_URL: database.connectionString, SCRIP_MASTER_KEY: Buffer.alloc(32, 5).toString("base64") };
  await addProducts(database.db, [{ id: "nimbus-us-25" }, { id: "gems-100" }]);
  const started = await Promise.all(
    SUPPLIER_KINDS.map((kind) => startSupplierFake(kind, { seed: 1, faults: () => sale(["completed"]) })),
  );
  fakes = Object.fromEntries(started.map((fake) => [fake.kind, fake]));
});

after(async () => {
  await Promise.all(Object.values(fakes).map(({ fake }) => fake.close()));
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** The members that the guide shows must be those of the config; the values are those of the fake. */
async function writeConfig(name: string, shown: string): Promise<void> {
  const config = fakes[name.replace(".json", "")]?.config() ?? {};
  for (const member of Object.keys(JSON.parse(shown))) assert.ok(member in config, `${name} has ${member}`);
  await writeFile(join(folder, name), JSON.stringify(config));
}

test("every command of the suppliers' guide works against the suppliers, in the guide's order", async () => {
  const guide = await readFile(new URL("suppliers.md", GUIDES_FOLDER), "utf8");
  const blocks = [...guide.matchAll(/```(\w+)(?: file=(\S+))?\n([\s\S]*?)```/g)];
  let supplierId = "";
  let commands = 0;
  const printed: string[] = [];
  for (const [, language, file, text = ""] of blocks) {
    if (language === "json" && file) await writeConfig(file, text);
    if (language === "csv" && file) await writeFile(join(folder, file), text);
    if (language !== "sh") continue;
    for (const line of text.trim().split("\n")) {
      const args = argumentsOf(line).map((one) =>
        one === "sup_…" ? supplierId : /\.(json|csv)$/.test(one) ? join(folder, one) : one,
      );
      const { code, stdout, stderr } = await runScrip(args, env);
      assert.equal(code, 0, `${line}\n${stderr}`);
      supplierId = /added (sup_\w+)/.exec(stdout)?.[1] ?? supplierId;
      printed.push(stdout);
      commands += 1;
    }
  }
  assert.ok(commands >= 14, `the guide has ${commands} commands`);
  const all = printed.join("\n");
  assert.match(all, /\(reloadly\) works: the balance is .*5,000\.25/);
  assert.match(all, /2 new, 0 gone, 0 repriced/);
  assert.match(all, /applied 1 new, 0 gone, 0 repriced/);
  assert.match(all, /new +4521@10 +nimbus-us-ten +9\.75 USD/);
  assert.match(all, /1 entries: 0 matched, 1 missing_here/);
  assert.match(all, /Kept as rcn_/);
  assert.match(all, /0\.00 USD of it is not in the statement|USD 0\.00 of it/);
  const findings = await readFile(join(folder, "findings.csv"), "utf8");
  assert.match(
    findings,
    /^finding,reference,id,currency,ours,theirs,difference,time,reason\nmissing_here,ord_unknown\.0\.0\.1,900001,USD,0\.00,0\.92,0\.92,/,
  );
});

/** `npx scrip a "b c"` → a, b c. */
const argumentsOf = (line: string): string[] =>
  [...line.replace(/^npx scrip /, "").matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? "",
  );

type Proposal = { new: number; gone: number; repriced: number; items: { id: string; change: string }[] };

test("a product that vanished or costs something else is proposed, and only what was seen is applied", async () => {
  const [row] = await database.db.rows<{ id: string }>(sql`select id from suppliers where kind = 'reloadly'`);
  const id = row?.id ?? "";
  const fresh = await scripJson<{ id: string }>(
    ["supplier", "add", "--kind", "reloadly", "--name", "Second", "--config", join(folder, "reloadly.json")],
    env,
  );
  const unseen = await runScrip(["supplier", "sync", fresh.id, "--apply"], env);
  assert.equal(unseen.code, 1);
  assert.match(unseen.stderr, /there is no proposal of the last 24 hours/);
  await database.db.rows(sql`
    update supplier_routes set cost_minor = 1 where supplier_id = ${id} and product_id = 'nimbus-us-25'`);
  await database.db.rows(sql`
    insert into supplier_routes (product_id, supplier_id, priority, cost_minor, cost_currency, sku, buy_value)
    values ('gems-100', ${id}, 1, 90, 'USD', '9999', '5')`);
  const proposal = await scripJson<Proposal>(["supplier", "sync", id], env);
  assert.deepEqual(
    proposal.items.map((item) => `${item.change} ${item.id}`),
    ["gone 9999@5", "repriced 4521@25", "new 4521@10"],
  );
  // What changes after it was seen is skipped.
  await database.db.rows(sql`update supplier_routes set cost_minor = 91 where sku = '9999'`);
  const applied = await scripJson<{ applied: object }>(
    ["supplier", "sync", id, "--apply", "--only", "gone,repriced"],
    env,
  );
  assert.deepEqual(applied.applied, { new: 0, gone: 0, repriced: 1, skipped: 1 });
  const [cost] = await database.db.rows<{ cost: bigint }>(sql`
    select cost_minor as cost from supplier_routes where supplier_id = ${id} and product_id = 'nimbus-us-25'`);
  assert.equal(cost?.cost, 2430n);
  const none = await runScrip(["supplier", "sync", id, "--apply", "--only", "nothing"], env);
  assert.match(none.stderr, /the proposal has no "nothing"/);
});

test("supplier test says why it does not work, and nothing that it prints has the secret", async () => {
  const reloadly = fakes.reloadly;
  assert.ok(reloadly);
  const [row] = await database.db.rows<{ id: string }>(sql`select id from suppliers where name = 'Reloadly'`);
  reloadly.logins.accepted = [];
  const { code, stdout, stderr } = await runScrip(["supplier", "test", row?.id ?? ""], env);
  assert.equal(code, 1);
  assert.match(stderr, /does not work: the supplier refuses the credentials/);
  assert.doesNotMatch(stdout + stderr, /reloadly-secret/);
});
