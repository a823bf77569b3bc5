import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import sql from "sql-template-tag";
import { addSealedCodes, listCodes, placeOf, textOf } from "../../../testing/builders/sealed-codes.ts";
import { seedCluster } from "../../../testing/database/seed-cluster.ts";
import { createTestDatabase, type TestDatabase } from "../../../testing/database/test-database.ts";
import { eventually } from "../../../testing/eventually.ts";
import { COMPILE_CACHE } from "../../../testing/processes/compile-cache.ts";
import { runScrip, scripJson, startScrip } from "../../../testing/processes/run-scrip.ts";
import { wideTest } from "../../../testing/wide-test.ts";
import { lockKeyFile } from "../../admin/rotate-queries.ts";
import type { Rotated } from "../../admin/rotate-vault.ts";
import type { VaultStatus } from "../../admin/vault-status.ts";
import { createCodeVault } from "../../vault/code-vault.ts";
import { openKeyring } from "../../vault/keyring.ts";

let root: string;
let database: TestDatabase;
let env: { DATABASE_URL: string; DATA_DIR: string };
let keyFile: string;

before(async () => {
  root = await mkdtemp(join(tmpdir(), "scrip-vault-commands-"));
  database = await createTestDatabase();
});
after(async () => {
  await database.drop();
  await rm(root, { recursive: true, force: true });
});
beforeEach(async () => {
  await database.db.transaction(async (tx) => {
    // Restored codes are append-only, and are emptied with the codes.
    await tx.rows(sql`set local session_replication_role = replica`);
    await tx.rows(sql`truncate codes, suppliers, sealed_secrets cascade`);
  });
  env = { DATABASE_URL: database.connectionString, DATA_DIR: await mkdtemp(join(root, "data-")) };
  keyFile = join(env.DATA_DIR, "master.key");
});

wideTest(
  "with the embedded database a running server picks up a new key, and the old key can be removed",
  async () => {
    const embedded = { DATA_DIR: join(root, "embedded") };
    await seedCluster(embedded.DATA_DIR);
    await runScrip(["migrate"], embedded);
    await scripJson(["migrate"], embedded);
    const path = join(embedded.DATA_DIR, "master.key");
    const { id: reseller } = await scripJson<{ id: string }>(CREATE_RESELLER, embedded);
    const createKey = ["key", "create", "--reseller", reseller, "--env", "live"];
    const { key } = await scripJson<{ key: string }>(createKey, embedded);
    const [old = ""] = await linesOf(path);
    const server = await startScrip([], embedded);
    try {
      const rotated = await scripJson<Rotated>(["vault", "rotate", "--new-key"], embedded);
      const counts = { rewrapped: 4, current: 0, failed: 0, complete: true, failures: [] };
      assert.deepEqual(rotated, { key: rotated.key, ...counts });
      const keys = await linesOf(path);
      assert.equal(keys.length, 2);
      assert.equal(keys[1], old);
      assert.equal((await fetch(`${server.url}/v1/balance`, { headers: { "x-api-key": key } })).status, 200);
      const shown = await runScrip(["vault", "status"], embedded);
      const [, newest = "", older = ""] = shown.stdout.split("\n");
      assert.match(newest, new RegExp(`^${rotated.key} +0 +0 +0 +0 +0 +4 +newest$`));
      assert.match(
        older,
        /^[0-9a-f]{8} +0 +0 +0 +0 +0 +0 +no longer needed: key 2 of .*master\.key can be removed/,
      );
      await writeFile(path, `${keys[0]}\n`);
    } finally {
      await server.stop("SIGTERM");
    }
    const again = await startScrip([], embedded);
    try {
      assert.equal((await fetch(`${again.url}/v1/balance`, { headers: { "x-api-key": key } })).status, 200);
    } finally {
      await again.stop("SIGTERM");
    }
  },
);

test("with the key in the environment --new-key says in one line what to do, and changes nothing", async () => {
  const configured = { ...env, SCRIP_MASTER_KEY: Buffer.alloc(32, 5).toString("base64") };
  const { code, stdout, stderr } = await runScrip(["vault", "rotate", "--new-key"], configured);
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(
    stderr,
    /^scrip: .*SCRIP_MASTER_KEY: restart every process with SCRIP_MASTER_KEY=OLD,NEW, then with NEW,OLD.*\n$/,
  );
  await assert.rejects(readFile(keyFile), { code: "ENOENT" });
  // What it says is what works.
  const next = Buffer.alloc(32, 6).toString("base64");
  const rotated = await scripJson<Rotated>(["vault", "rotate"], {
    ...configured,
    SCRIP_MASTER_KEY: `${next},${configured.SCRIP_MASTER_KEY}`,
  });
  assert.equal(rotated.rewrapped, 4);
  await scripJson(["vault", "status"], { ...configured, SCRIP_MASTER_KEY: next });
});

test("a value that cannot be decrypted is reported only by its id, and the exit code is 1", async () => {
  const keyring = await openKeyring([], env.DATA_DIR);
  await addSealedCodes(database.db, createCodeVault(keyring), { prefix: "cod", count: 3, state: "stock" });
  await database.db.rows(sql`update codes set product_id = 'elsewhere' where id = 'cod-000001'`);
  const { code, stdout, stderr } = await runScrip(["vault", "rotate", "--new-key"], env);
  assert.equal(code, 1);
  assert.match(stdout, /^rewrapped 6, current 0, failed 1; the newest key is [0-9a-f]{8}\n$/);
  assert.equal(stderr, "scrip: code cod-000001 cannot be decrypted\n");
});

test("a key file that others may read stops every command with one line", async () => {
  await openKeyring([], env.DATA_DIR);
  await chmod(keyFile, 0o644);
  const { code, stderr } = await runScrip(["vault", "status"], env);
  assert.equal(code, 1);
  assert.equal(stderr, `scrip: ${keyFile} is readable by other users; run: chmod 600 ${keyFile}\n`);
});

wideTest("after a kill half way everything can be decrypted, and the next run does the rest", async () => {
  const { db } = database;
  const total = 3_000;
  const keyring = await openKeyring([], env.DATA_DIR);
  const vault = createCodeVault(keyring);
  await addSealedCodes(db, vault, { prefix: "cod", count: total, state: "stock" });
  await db.transaction(async (tx) => {
    // A transaction that holds these rows keeps the rotation from finishing.
    await tx.rows(sql`select id from codes where id >= 'cod-002000' for update`);
    const rotation = startRotation();
    await eventually("a part is rewrapped", async () =>
      (await countByKey()).length === 2 ? true : undefined,
    );
    await killed(rotation);
  });
  const codes = await listCodes(db);
  for (const code of codes) assert.equal(vault.open(placeOf(code), code.sealed).toString(), textOf(code.id));
  const [newest] = await linesOf(keyFile);
  const rotated = await scripJson<Rotated>(["vault", "rotate"], env);
  assert.equal(rotated.rewrapped + rotated.current, total + 4);
  assert.ok(rotated.rewrapped >= 1_000 && rotated.current > 0 && rotated.complete);
  assert.deepEqual(await countByKey(), [total]);
  // It went on with the key that was there, and made no other.
  assert.deepEqual((await linesOf(keyFile))[0], newest);
});

wideTest(
  "after a kill while a new key is announced, the old key stays in use, and the next run creates its own",
  async () => {
    const keyring = await openKeyring([], env.DATA_DIR);
    await addSealedCodes(database.db, createCodeVault(keyring), { prefix: "cod", count: 10, state: "stock" });
    const [old] = await linesOf(keyFile);
    const rotation = startRotation();
    await eventually("the new key is announced", async () =>
      (await linesOf(keyFile)).length === 2 ? true : undefined,
    );
    await killed(rotation);
    assert.equal((await linesOf(keyFile))[0], old);
    const rotated = await scripJson<Rotated>(["vault", "rotate", "--new-key"], env);
    assert.deepEqual([rotated.rewrapped, rotated.failed], [14, 0]);
    const { keys } = await scripJson<VaultStatus>(["vault", "status"], env);
    assert.deepEqual(
      keys.map(({ newest, removable, values }) => [newest, removable, values.codes]),
      [
        [true, false, 10],
        [false, true, 0],
        [false, true, 0],
      ],
    );
  },
);

wideTest("the key file is changed by one process at a time", async () => {
  const { db } = database;
  await scripJson(["vault", "status"], env);
  const before = await linesOf(keyFile);
  let renewal: Promise<Rotated> | undefined;
  await db.transaction(async (tx) => {
    await lockKeyFile(tx);
    renewal = scripJson<Rotated>(["vault", "rotate", "--new-key"], env);
    await eventually("the other one waits for its turn", async () => {
      const waiting = await db.rows(sql`select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`);
      return waiting.length > 0 ? true : undefined;
    });
    assert.deepEqual(await linesOf(keyFile), before);
  });
  await renewal;
  assert.equal((await linesOf(keyFile)).length, 2);
});

wideTest(
  "two rotations at the same time leave both keys in the file, and everything under the newest",
  async () => {
    const keyring = await openKeyring([], env.DATA_DIR);
    await addSealedCodes(database.db, createCodeVault(keyring), {
      prefix: "cod",
      count: 500,
      state: "stock",
    });
    const renew = ["vault", "rotate", "--new-key"];
    const both = await Promise.all([scripJson<Rotated>(renew, env), scripJson<Rotated>(renew, env)]);
    for (const { failed, complete } of both) assert.deepEqual([failed, complete], [0, true]);
    assert.equal(new Set(await linesOf(keyFile)).size, 3);
    await scripJson<Rotated>(["vault", "rotate"], env);
    const { keys, newest } = await scripJson<VaultStatus>(["vault", "status"], env);
    assert.equal(keys[0]?.id, newest);
    assert.deepEqual(
      keys.map(({ values }) => values.codes),
      [500, 0, 0],
    );
  },
);

const CREATE_RESELLER = [
  "reseller",
  "create",
  "--name",
  "Shop",
  "--currency",
  "USD",
  "--email",
  "a@shop.example",
];

const linesOf = async (path: string): Promise<string[]> =>
  (await readFile(path, "utf8")).trimEnd().split("\n");

const countByKey = async (): Promise<number[]> =>
  (
    await database.db.rows<{ count: number }>(
      sql`select count(*)::integer as count from codes group by substring(sealed from 2 for 4)`,
    )
  ).map((row) => row.count);

const COMMAND = fileURLToPath(new URL("../scrip.ts", import.meta.url));

const startRotation = () =>
  spawn(process.execPath, [COMMAND, "vault", "rotate", "--new-key"], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...COMPILE_CACHE, ...env },
    stdio: "ignore",
  });

async function killed(child: ReturnType<typeof startRotation>): Promise<void> {
  assert.equal(child.exitCode, null, "the rotation was still running");
  child.kill("SIGKILL");
  await once(child, "close");
}
