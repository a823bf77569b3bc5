import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestDatabase, type TestDatabase } from "../../../testing/database/test-database.ts";
import { runScrip, runScripAlone, scripJson } from "../../../testing/processes/run-scrip.ts";

let database: TestDatabase;
let folder: string;
let env: Record<string, string>;
let resellerId: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-commands-"));
  database = await createTestDatabase();
  env = { DATABASE_URL: database.connectionString, DATA_DIR: folder };
  await writeFile(join(folder, "catalog.json"), JSON.stringify({ products: [CARD] }));
  await scripJson(["catalog", "import", join(folder, "catalog.json")], env);
  const args = [
    "reseller",
    "create",
    "--name",
    "Corner Shop",
    "--currency",
    "KWD",
    "--email",
    "owner@corner.example",
  ];
  resellerId = (await scripJson<{ id: string }>(args, env)).id;
});

after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const CARD = { id: "card", name: "Card", faceValue: { amount: "5", currency: "KWD" } };

test("reseller create, list, show and limit", async () => {
  assert.match(resellerId, /^rsl_[0-9a-z]{26}$/);
  const { data } = await scripJson<{ data: { id: string }[] }>(["reseller", "list"], env);
  assert.deepEqual(
    data.map((row) => row.id),
    [resellerId],
  );
  await scripJson(["reseller", "limit", resellerId, "--orders", "5", "--reads", "7"], env);
  const shown = await scripJson<Record<string, unknown>>(["reseller", "show", resellerId], env);
  assert.deepEqual(
    { ...shown, createdAt: typeof shown.createdAt },
    {
      id: resellerId,
      name: "Corner Shop",
      currency: "KWD",
      email: "owner@corner.example",
      priceList: "standard",
      rateLimits: { orders: 5, reads: 7 },
      createdAt: "string",
    },
  );
  const reset = await scripJson<{ rateLimits: object }>(
    ["reseller", "limit", resellerId, "--orders", "default"],
    env,
  );
  assert.deepEqual(reset.rateLimits, { reads: 7 });
});

test("key create shows the key once; list and revoke show its prefix and last four", async () => {
  const args = [
    "key",
    "create",
    "--reseller",
    resellerId,
    "--env",
    "test",
    "--scopes",
    "catalog:read,orders:read",
  ];
  const created = await scripJson<Record<string, unknown>>(args, env);
  assert.deepEqual(Object.keys(created), ["id", "key", "prefix", "lastFour", "env", "scopes"]);
  assert.match(String(created.key), /^sc_test_[0-9A-Za-z]{38}$/);
  assert.equal(created.prefix, "sc_test_");
  assert.equal(String(created.key).slice(-4), created.lastFour);
  assert.deepEqual(created.scopes, ["catalog:read", "orders:read"]);
  const listed = await runScrip(["key", "list", "--json"], env);
  assert.doesNotMatch(listed.stdout, new RegExp(String(created.key)));
  const revoked = await scripJson<{ revokedAt: string }>(["key", "revoke", String(created.id)], env);
  const again = await scripJson<{ revokedAt: string }>(["key", "revoke", String(created.id)], env);
  assert.equal(again.revokedAt, revoked.revokedAt, "revoking twice keeps the first time");
});

test("each change of a key by a command is in the activity log of its reseller", async () => {
  const args = ["key", "create", "--reseller", resellerId, "--env", "live", "--name", "till"];
  const { id } = await scripJson<{ id: string }>(args, env);
  await scripJson(["key", "edit", id, "--name", "second till"], env);
  const rolled = await scripJson<{ id: string; key: string }>(["key", "roll", id, "--grace", "0"], env);
  await scripJson(["key", "revoke", rolled.id], env);
  const rows = await database.db.rows<{ actor: string; action: string; object: string; summary: string }>(sql`
    select actor_kind || ' ' || actor_id as actor, action, object_id as object,
           concat(before::text, ' ', after::text) as summary
    from activity
    where reseller_id = ${resellerId} and environment = 'live' and object_kind = 'key' order by id`);
  assert.deepEqual(
    rows.map(({ actor, action, object }) => [actor, action, object]),
    [
      ["command scrip key create", "key.created", id],
      ["command scrip key edit", "key.changed", id],
      ["command scrip key roll", "key.rolled", id],
      ["command scrip key revoke", "key.revoked", rolled.id],
    ],
  );
  assert.match(rows[1]?.summary ?? "", /"till".*"second till"/);
  assert.doesNotMatch(JSON.stringify(rows), new RegExp(rolled.key));
});

test("price set takes exact decimals of the currency and refuses more", async () => {
  const own = ["price", "set", "--product", "card", "--reseller", resellerId];
  const set = await scripJson<{ price: object; strikePrice: object }>(
    [...own, "--amount", "4.755", "--strike", "5"],
    env,
  );
  assert.deepEqual(set.price, { amount: 4755, currency: "KWD", minorUnitExponent: 3, amountText: "4.755" });
  assert.deepEqual(set.strikePrice, {
    amount: 5000,
    currency: "KWD",
    minorUnitExponent: 3,
    amountText: "5.000",
  });
  await assertFails([...own, "--amount", "4.7555"], 1, /has too many decimals: KWD has 3/);
  await assertFails([...own, "--amount", "-1"], 1, /not an amount/);
  await assertFails([...own, "--amount", "0"], 1, /more than zero/);
  await assertFails(
    ["price", "set", "--product", "card", "--amount", "1"],
    2,
    /either --reseller, or --list/,
  );
  await assertFails(
    ["price", "set", "--product", "none", "--list", "standard", "--currency", "USD", "--amount", "1"],
    1,
    /no product none/,
  );
  const { data } = await scripJson<{ data: object[] }>(["price", "list", "--product", "card"], env);
  assert.equal(data.length, 1);
});

test("listing set, catalog hide and catalog unhide", async () => {
  const args = ["listing", "set", "--product", "card", "--reseller", resellerId, "--listed"];
  assert.deepEqual(await scripJson([...args, "no"], env), { productId: "card", resellerId, listed: false });
  assert.deepEqual(await scripJson([...args, "yes"], env), { productId: "card", resellerId, listed: true });
  await assertFails([...args, "maybe"], 2, /--listed must be yes or no/);
  assert.equal((await scripJson<{ hidden: boolean }>(["catalog", "hide", "card"], env)).hidden, true);
  assert.equal((await scripJson<{ hidden: boolean }>(["catalog", "unhide", "card"], env)).hidden, false);
  await assertFails(["catalog", "hide", "none"], 1, /no product none/);
});

test("catalog import counts what it did, and with an invalid row names every one and changes nothing", async () => {
  const file = join(folder, "more.csv");
  await writeFile(file, "id,name,faceValue.amount,faceValue.currency\ncard,Card,5,KWD\nnew,New,10,USD\n");
  assert.deepEqual(await scripJson(["catalog", "import", file], env), {
    created: 1,
    updated: 0,
    unchanged: 1,
  });
  await writeFile(
    file,
    "id,name,faceValue.amount,faceValue.currency\nother,Other,10,USD\nbad id,X,10,USD\nworse,,ten,XXX\n",
  );
  const { stderr } = await assertFails(["catalog", "import", file], 1, /nothing was imported/);
  assert.match(stderr, /^line 3 /m);
  assert.match(stderr, /^line 4 /m);
  const { stdout } = await runScrip(["catalog", "export"], env);
  assert.doesNotMatch(stdout, /"other"/);
});

test("catalog export prints what catalog import reads, unchanged", async () => {
  for (const format of ["json", "csv"]) {
    const file = join(folder, `exported.${format}`);
    await writeFile(file, (await runScrip(["catalog", "export", "--format", format], env)).stdout);
    const counts = await scripJson<{ created: number; updated: number }>(["catalog", "import", file], env);
    assert.deepEqual([counts.created, counts.updated], [0, 0]);
  }
});

test("doctor reports each check, and exits 1 when one fails", async () => {
  const well = await scripJson<{ ok: boolean; checks: { name: string; ok: boolean }[] }>(
    ["doctor"],
    env,
  ).catch(
    // The test server does not wait for the disk, and the doctor says so.
    async () => JSON.parse((await runScrip(["doctor", "--json"], env)).stdout),
  );
  assert.deepEqual(
    well.checks.filter((check: { ok: boolean }) => !check.ok).map((check: { name: string }) => check.name),
    ["durability"],
  );
  const ill = await runScrip(["doctor", "--json"], {
    ...env,
    DATABASE_URL: "postgres://scrip@127.0.0.1:1/scrip",
  });
  assert.equal(ill.code, 1);
  assert.equal(JSON.parse(ill.stdout).ok, false);
});

test("every command has --help; a wrong command line exits 2, a failure 1 with its reason on standard error", async () => {
  for (const args of [
    [],
    ["start"],
    ["reseller", "create"],
    ["key", "create"],
    ["catalog", "import"],
    ["price", "set"],
    ["listing", "set"],
    ["demo"],
    ["doctor"],
    ["migrate"],
  ]) {
    const help = await runScrip([...args, "--help"], env);
    assert.equal(help.code, 0);
    assert.match(help.stdout, /^Usage: scrip/);
  }
  await assertFails(["nonsense"], 2, /unknown command/);
  // The same from a process of its own, which is what a terminal sees.
  const alone = async (...args: string[]) => (await runScripAlone(args, env)).code;
  assert.deepEqual(
    await Promise.all([
      alone("--help"),
      alone("reseller", "list", "--json"),
      alone("nonsense"),
      alone("key", "create", "--reseller", "rsl_none", "--env", "live"),
    ]),
    [0, 0, 2, 1],
  );
  await assertFails(["key", "create", "--env", "test"], 2, /required option '--reseller/);
  await assertFails(
    ["key", "create", "--reseller", resellerId, "--env", "prod"],
    2,
    /--env must be live or test/,
  );
  await assertFails(["key", "create", "--reseller", "rsl_none", "--env", "live"], 1, /no reseller rsl_none/);
  await assertFails(
    ["key", "create", "--reseller", resellerId, "--env", "live", "--scopes", "all"],
    1,
    /"all" is not a scope/,
  );
  await assertFails(
    ["key", "create", "--reseller", resellerId, "--env", "live", "--allow-ips", "1.2.3"],
    1,
    /neither an IP address nor a CIDR/,
  );
  await assertFails(
    ["reseller", "create", "--name", "X", "--currency", "ABC", "--email", "a@b"],
    1,
    /not an ISO-4217 currency/,
  );
  await assertFails(["demo"], 1, /not empty/);
});

async function assertFails(args: readonly string[], code: number, reason: RegExp) {
  const finished = await runScrip(args, env);
  assert.equal(finished.code, code, finished.stderr);
  assert.match(finished.stderr, reason);
  assert.equal(finished.stdout, "");
  return finished;
}
