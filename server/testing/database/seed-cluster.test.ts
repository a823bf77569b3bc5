import assert from "node:assert/strict";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openEmbedded } from "../../src/db/embedded/open-embedded.ts";
import { atEnd, makeDataDir, query } from "./embedded-testing.ts";
import { seedCluster } from "./seed-cluster.ts";

const PERMISSIONS = 0o777;

test("a seeded directory equals the result of a first start: the same files, modes and owners, and it starts", async (t) => {
  const [made, seeded] = [await makeDataDir(t), await makeDataDir(t)];
  await (await openEmbedded({ dataDir: made, log: () => {} })).close();
  await seedCluster(seeded);
  const lines: string[] = [];
  const database = await openEmbedded({ dataDir: seeded, log: (line) => lines.push(line) });
  atEnd(t, database.close);
  assert.deepEqual(await query(database.connectionString, "select 1 as one"), [{ one: 1 }]);
  assert.deepEqual(lines, [], "it was not created again");

  for (const path of [".", "db", "db/data", "db/access.json", "db/data/PG_VERSION", "db/data/pg_hba.conf"]) {
    const [one, other] = await Promise.all([made, seeded].map((dir) => stat(join(dir, path))));
    assert.ok(one && other);
    const described = ({ mode, uid, gid }: typeof one) => [mode & PERMISSIONS, uid, gid];
    assert.deepEqual(described(other), described(one), path);
  }
  assert.deepEqual((await readdir(join(seeded, "db"))).sort(), ["access.json", "data"]);
});

test("two seeded directories run side by side, each on its own port", async (t) => {
  const databases = [];
  for (let count = 0; count < 2; count += 1) {
    const dataDir = await makeDataDir(t);
    await seedCluster(dataDir);
    const database = await openEmbedded({ dataDir, log: () => {} });
    atEnd(t, database.close);
    databases.push(database.connectionString);
  }
  assert.equal(new Set(databases).size, 2);
});
