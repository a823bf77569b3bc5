import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { addSupplierRow } from "../../../../testing/builders/supply-builders.ts";
import { createTestDatabase, type TestDatabase } from "../../../../testing/database/test-database.ts";
import { sizeFor } from "../../../../testing/full-size.ts";
import { openScripDesk, type ScripDesk } from "../../../../testing/processes/scrip-desk.ts";
import {
  addBookedPurchases,
  WRONG_EVERY,
  WRONGS,
  writeSpoiltStatement,
} from "../../../../testing/upstream/sales/booked-purchases.ts";

const LINES = sizeFor("soak", { share: 2_000, full: 100_000 });
/** The promise is for the full statement; a short one waits for the machine more than it works. */
const WITHIN_MS = sizeFor("soak", { share: 60_000, full: 30_000 });
let database: TestDatabase;
let folder: string;
let scrip: ScripDesk;
let supplierId: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-reconcile-"));
  database = await createTestDatabase();
  scrip = openScripDesk({ DATABASE_URL: database.connectionString, DATA_DIR: folder });
  supplierId = await addSupplierRow(database.db, { kind: "dtone" });
  await addBookedPurchases(database.db, supplierId, LINES);
});
after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

type Report = Record<(typeof WRONGS)[number] | "entries" | "matched" | "newReversals", number> & {
  totals: { difference: number; explained: Record<string, number> }[];
};

test(`a statement of ${LINES} lines is compared with the purchases in the database, and every mistake is found`, async (t) => {
  const file = join(folder, "statement.csv");
  await writeFile(file, writeSpoiltStatement(LINES));
  const startedMs = performance.now();
  const args = ["supplier", "reconcile", supplierId, "--file", file, "--csv", join(folder, "findings.csv")];
  const report = await scrip.json<Report>(args);
  const tookMs = performance.now() - startedMs;
  t.diagnostic(`${LINES} lines in ${(tookMs / 1_000).toFixed(1)} s`);
  assert.ok(tookMs < WITHIN_MS, `it took ${tookMs} ms`);
  const each = LINES / WRONG_EVERY / WRONGS.length;
  for (const wrong of WRONGS) assert.equal(report[wrong], each, wrong);
  assert.equal(report.newReversals, each);
  // A duplicate is one more line, a stranger too; what is missing there is one less.
  assert.equal(report.entries, LINES + each);
  // Right besides the unspoilt ones: the first line of a duplicate, and the purchase next to a stranger.
  assert.equal(report.matched, LINES - 3 * each);
  const [total] = report.totals;
  const explained = Object.values(total?.explained ?? {}).reduce((sum, one) => sum + one, 0);
  assert.equal(total?.difference, explained);
  assert.equal(total?.difference, each * (13 + 80 - 80 - 80 + 80));
  const findings = (await readFile(join(folder, "findings.csv"), "utf8")).trim().split("\n");
  assert.equal(findings.length - 1, WRONGS.length * each);
});
