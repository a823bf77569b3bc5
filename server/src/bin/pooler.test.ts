import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { smoke } from "../../testing/app/smoke.ts";
import { findPgBouncer, startPgBouncer } from "../../testing/database/pgbouncer.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { runScrip } from "../../testing/processes/run-scrip.ts";
import { refuseTransactionPooler } from "../db/detect-pooler.ts";

/** Where it is not installed, db/detect-pooler.test.ts tells its modes apart without it. */
const program = await findPgBouncer();

let database: TestDatabase;
let folder: string;
before(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "scrip-pooler-"));
});
after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

test("start and doctor check whether the database of DATABASE_URL keeps sessions", async () => {
  const env = { DATABASE_URL: database.connectionString, DATA_DIR: folder };
  const { stdout } = await runScrip(["doctor", "--json"], env);
  const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean }[] };
  assert.equal(checks.find(({ name }) => name === "sessions")?.ok, true);
});

if (program !== undefined) {
  test("PgBouncer in session mode works with its defaults", async (t) => {
    const own = await createTestDatabase();
    t.after(own.drop);
    const pooler = await startPgBouncer(program, own.connectionString, "session");
    t.after(pooler.stop);
    await refuseTransactionPooler(pooler.connectionString);
    await smoke(pooler.connectionString);
  });

  for (const mode of ["transaction", "statement"] as const)
    test(`PgBouncer in ${mode} mode is refused in one line, by start and by doctor`, async (t) => {
      const pooler = await startPgBouncer(program, database.connectionString, mode);
      t.after(pooler.stop);
      const env = { DATABASE_URL: pooler.connectionString, DATA_DIR: folder };
      const started = await runScrip(["start"], env);
      assert.equal(started.code, 1);
      const lines = started.stderr.split("\n").filter((line) => line.includes("pooler"));
      assert.equal(lines.length, 1, started.stderr);
      assert.match(lines[0] ?? "", /pooler in transaction or statement mode; Scrip needs session mode/);
      const { stdout } = await runScrip(["doctor"], env);
      assert.match(stdout, /FAIL {2}sessions: DATABASE_URL points to a pooler/);
    });
}
