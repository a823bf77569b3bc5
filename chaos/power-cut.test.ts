import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { openEmbedded } from "../server/src/db/embedded/open-embedded.ts";
import { stopServer } from "../server/src/db/embedded/stop-server.ts";
import { atEnd, dataPathOf, query, until } from "../server/testing/database/embedded-testing.ts";
import { seedCluster } from "../server/testing/database/seed-cluster.ts";
import { mountDisk } from "./disk.ts";
import { cutPower } from "./power-cut.ts";

const COMMITS = 200;

for (const { fsync, promise } of [
  { fsync: "on", promise: "a power cut loses no acknowledged commit" },
  { fsync: "off", promise: "a power cut is noticed: without fsync it loses acknowledged commits" },
]) {
  test(promise, async (t) => {
    const left = await commitAndCut(t, fsync);
    if (left === "no disk")
      return t.diagnostic("no disk in a file could be mounted: power cuts were not tested");
    t.diagnostic(`${left} of ${COMMITS} acknowledged commits were left with fsync=${fsync}`);
    if (fsync === "on") assert.equal(left, COMMITS);
    else assert.ok(left === "did not start" || left < COMMITS);
  });
}

test("after a power cut that failed, the next one leaves what is on the disk by then", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "scrip-power-"));
  atEnd(t, () => rmSync(home, { recursive: true, force: true }));
  const disk = await mountDisk(home, 1);
  if (disk) atEnd(t, disk.unmount);
  const { loseWhatIsInMemory } = disk ?? {};
  if (!loseWhatIsInMemory)
    return t.diagnostic("no disk in a file could be mounted: power cuts were not tested");
  // A cut fails if the system writes while it copies. That a copy is caught by a write is likely and not certain.
  await until(() => cutWhileWriting(loseWhatIsInMemory, join(home, "number")));
  await write(join(home, "number"), "since then");
  execFileSync("sync", ["--file-system", home]);
  await until(() => loseWhatIsInMemory().then(() => true));
  assert.equal(readFileSync(join(home, "number"), "utf8"), "since then");
});

/** True if a power cut failed, because the disk was written to all the time. */
async function cutWhileWriting(
  loseWhatIsInMemory: () => Promise<void>,
  path: string,
): Promise<true | undefined> {
  let isOver = false;
  const written = (async () => {
    for (let number = 0; !isOver; number += 1) await write(path, String(number));
  })();
  try {
    await loseWhatIsInMemory();
    return undefined;
  } catch (error) {
    assert.match(String(error), /did not become quiet/);
    return true;
  } finally {
    isOver = true;
    await written;
  }
}

async function write(path: string, text: string): Promise<void> {
  const file = await open(path, "w");
  await file.writeFile(text);
  await file.sync();
  await file.close();
}

async function commitAndCut(t: TestContext, fsync: string): Promise<number | "no disk" | "did not start"> {
  const home = mkdtempSync(join(tmpdir(), "scrip-power-"));
  atEnd(t, () => rmSync(home, { recursive: true, force: true }));
  const disk = await mountDisk(home);
  if (disk) atEnd(t, disk.unmount);
  if (!disk?.loseWhatIsInMemory) return "no disk";
  const dataDir = join(home, ".scrip");
  await seedCluster(dataDir);
  const problems: string[] = [];
  const settings = { fsync, wal_init_zero: "off", max_wal_size: "128MB", shared_buffers: "16MB" };
  const server = await openEmbedded({ dataDir, log: (line) => problems.push(line), settings });
  atEnd(t, async () => {
    await stopServer(dataPathOf(dataDir));
    await server.close();
  });
  const client = new pg.Client({ connectionString: server.connectionString });
  client.on("error", () => {});
  await client.connect();
  await client.query("create table acknowledged (number integer primary key)");
  await client.query("checkpoint");
  execFileSync("sync", ["--file-system", home]);
  for (let number = 0; number < COMMITS; number += 1)
    await client.query("insert into acknowledged values ($1)", [number]);
  assert.ok(await cutPower(dataDir, disk));
  return until(async () => {
    if (problems.some((line) => line.includes("failed to start"))) return "did not start" as const;
    const [row] = await query<{ count: number }>(
      server.connectionString,
      "select count(*)::integer as count from acknowledged",
    );
    return row?.count;
  });
}
