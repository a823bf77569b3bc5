import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import sql from "sql-template-tag";
import {
  addSealedCodes,
  deliverOne,
  listCodes,
  placeOf,
  type StoredCode,
  textOf,
} from "../../testing/builders/sealed-codes.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { scripJson } from "../../testing/processes/run-scrip.ts";
import type { Rotated } from "../admin/rotate-vault.ts";
import type { VaultStatus } from "../admin/vault-status.ts";
import type { Db } from "../db/database.ts";
import { secret } from "../lib/secret.ts";
import { type CodeVault, createCodeVault } from "../vault/code-vault.ts";
import { fixedKeyring, openKeyring } from "../vault/keyring.ts";

const STOCK = 3_000;
const DELIVERED = 1_000;
const READ_AT_ONCE = 50;
/** Each of the others takes a breath, so that the rotation gets its share of a small machine. */
const PACE_MS = 5;

let database: TestDatabase;
let env: { DATABASE_URL: string; DATA_DIR: string };

before(async () => {
  database = await createTestDatabase();
  env = {
    DATABASE_URL: database.connectionString,
    DATA_DIR: await mkdtemp(join(tmpdir(), "scrip-rotate-load-")),
  };
});
after(async () => {
  await database.drop();
  await rm(env.DATA_DIR, { recursive: true, force: true });
});

test("keys are rotated twice while codes are read, sold and imported: no read fails, and no code is missed", async () => {
  const { db } = database;
  const vault = await openVault();
  await addSealedCodes(db, vault, { prefix: "stock", count: STOCK, state: "stock" });
  await addSealedCodes(db, vault, { prefix: "delivered", count: DELIVERED, state: "delivered" });
  const tally = { stopped: false, reads: 0, sold: 0, imported: 0, keysRead: new Set<string>() };
  // Each of them with a keyring of its own, as processes of their own would have.
  const others = [
    readOn(db, await openVault(), tally),
    readOn(db, await openVault(), tally),
    sellOn(db, await openVault(), tally),
    sellOn(db, await openVault(), tally),
    importOn(db, await openVault(), tally),
  ];
  const rotations: Rotated[] = [];
  const rotating = (async () => {
    for (let round = 0; round < 2; round += 1) {
      rotations.push(await scripJson<Rotated>(["vault", "rotate", "--new-key"], env));
    }
  })();
  // The first failure ends everything.
  await Promise.race([rotating, Promise.all(others).then(() => rotating)]).finally(() => {
    tally.stopped = true;
  });
  await Promise.all(others);

  for (const rotated of rotations) {
    assert.deepEqual([rotated.failed, rotated.complete], [0, true]);
    assert.ok(rotated.rewrapped > 1_000, `${rotated.rewrapped} were rewrapped`);
  }
  assert.ok(tally.reads > 1_000 && tally.sold > 20 && tally.imported > 20, JSON.stringify(tally));
  assert.equal(tally.keysRead.size, 3, "codes were read under each of the keys");
  await assertAllUnderNewest(tally);
});

type Tally = { stopped: boolean; reads: number; sold: number; imported: number; keysRead: Set<string> };

async function assertAllUnderNewest(tally: Tally): Promise<void> {
  const status = await scripJson<VaultStatus>(["vault", "status"], env);
  const total = STOCK + DELIVERED + tally.imported;
  assert.deepEqual(
    status.keys.map(({ values, removable }) => [values.codes, values.serverSecrets, removable]),
    [
      [total, 4, false],
      [0, 0, true],
      [0, 0, true],
    ],
  );
  const [newest = ""] = (await readFile(join(env.DATA_DIR, "master.key"), "utf8")).split("\n");
  const alone = createCodeVault(fixedKeyring([secret(Buffer.from(newest, "base64"))]));
  const codes = await listCodes(database.db);
  assert.equal(codes.length, total);
  assert.equal(codes.filter((code) => code.state === "delivered").length, DELIVERED + tally.sold);
  for (const code of codes) assertOpens(alone, code);
}

const openVault = async (): Promise<CodeVault> => createCodeVault(await openKeyring([], env.DATA_DIR));

async function readOn(db: Db, vault: CodeVault, tally: Tally): Promise<void> {
  while (!tally.stopped) {
    const codes = await db.rows<StoredCode>(sql`
      select id, state, product_id as "productId", order_id as "orderId", line_index as "lineIndex",
             unit_index as "unitIndex", sealed
      from codes order by random() limit ${READ_AT_ONCE}`);
    for (const code of codes) {
      assertOpens(vault, code);
      tally.keysRead.add(code.sealed.subarray(1, 5).toString("hex"));
    }
    tally.reads += codes.length;
    await pause(PACE_MS);
  }
}

async function sellOn(db: Db, vault: CodeVault, tally: Tally): Promise<void> {
  while (!tally.stopped) {
    if (await db.transaction((tx) => deliverOne(tx, vault))) tally.sold += 1;
    await pause(PACE_MS);
  }
}

async function importOn(db: Db, vault: CodeVault, tally: Tally): Promise<void> {
  // The names come before and behind those that are there, so that no order of visits is the lucky one.
  for (let round = 0; !tally.stopped; round += 1) {
    const prefix = `${round % 2 === 0 ? "a" : "z"}-${String(round).padStart(6, "0")}`;
    await db.transaction((tx) => addSealedCodes(tx, vault, { prefix, count: 5, state: "stock" }));
    tally.imported += 5;
    await pause(PACE_MS);
  }
}

function assertOpens(vault: CodeVault, code: StoredCode): void {
  assert.equal(vault.open(placeOf(code), code.sealed).toString(), textOf(code.id));
}
