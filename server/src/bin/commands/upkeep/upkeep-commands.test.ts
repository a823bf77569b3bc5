import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../../testing/app/test-app.ts";
import { TEST_MASTER_KEY } from "../../../../testing/app/test-settings.ts";
import { openJobDeps } from "../../../../testing/builders/job-desk.ts";
import { addSupplierRow } from "../../../../testing/builders/supply-builders.ts";
import { addEndpoint } from "../../../../testing/builders/webhook-builders.ts";
import { eventually } from "../../../../testing/eventually.ts";
import { openScripDesk, type ScripDesk } from "../../../../testing/processes/scrip-desk.ts";
import { runNextJob } from "../../../jobs/run-job.ts";
import { systemClock } from "../../../lib/clock.ts";

let app: TestApp;
let scrip: ScripDesk;
before(async () => {
  app = await createTestApp();
  scrip = openScripDesk({
    DATABASE_URL: app.connectionString,
    SCRIP_MASTER_KEY: TEST_MASTER_KEY.toString("base64"),
  });
});
after(() => app.close());

type Listed = { data: { id: string; kind: string; acknowledgedBy?: string; resolvedAt?: string }[] };

test("scrip alert lists what holds now without a server, takes it on, and shows what ended with --all", async () => {
  assert.equal((await scrip.run(["alert", "list"])).stdout, "No open alerts.\n");
  const supplier = await addSupplierRow(app.db, { name: "Secret Upstream" });
  await app.db.rows(
    sql`update suppliers set consecutive_failures = 5, open_until = now() where id = ${supplier}`,
  );
  const { data } = await scrip.json<Listed>(["alert", "list"]);
  assert.deepEqual(
    data.map(({ kind }) => kind),
    ["supplier_failing"],
  );
  const id = data[0]?.id ?? "";
  assert.match((await scrip.run(["alert", "ack", id])).stdout, /^acknowledged alt_/);
  const again = await scrip.run(["alert", "ack", id]);
  assert.deepEqual([again.code, again.stderr], [1, "scrip: scrip has acknowledged this alert already\n"]);
  assert.match(
    (await scrip.run(["alert", "list"])).stdout,
    /supplier_failing .* acknowledged .*keeps failing/,
  );
  await app.db.rows(sql`update suppliers set consecutive_failures = 0, open_until = null`);
  assert.equal((await scrip.run(["alert", "list"])).stdout, "No open alerts.\n");
  const all = await scrip.json<Listed>(["alert", "list", "--all"]);
  assert.deepEqual([all.data[0]?.acknowledgedBy, typeof all.data[0]?.resolvedAt], ["scrip", "string"]);
});

test("scrip alert mail is for the staff, and scrip backup record keeps a note", async () => {
  const wrong = await scrip.run(["alert", "mail", "--staff", "stf_none", "--send", "yes"]);
  assert.match(wrong.stderr, /there is no member of the staff stf_none/);
  assert.equal((await scrip.run(["alert", "mail", "--staff", "stf_none", "--send", "maybe"])).code, 2);
  const { recordedAt } = await scrip.json<{ recordedAt: string }>(["backup", "record", "--note", "to tape"]);
  const rows = await app.db.rows(sql`select note, recorded_at as at from backups`);
  assert.deepEqual(rows, [{ note: "to tape", at: new Date(recordedAt) }]);
});

test("scrip audit keeps its result", async () => {
  const { since } = await scrip.json<{ since: string | null }>(["audit", "--full"]);
  assert.equal(since, null);
  const rows = await app.db.rows(sql`select ok, actor_kind from audit_runs`);
  assert.deepEqual(rows, [{ ok: true, actor_kind: "command" }]);
  const next = await scrip.json<{ ok: boolean; since: string }>(["audit"]);
  assert.deepEqual([next.ok, new Date(next.since).toISOString()], [true, next.since]);
});

test("scrip job import and audit show the job to its end with --follow, and fail as the job does", async () => {
  const deps = await openJobDeps(app.db, systemClock);
  const followed = async (args: readonly string[]) => {
    const running = scrip.run(["job", ...args, "--follow", "--json"]);
    await eventually("the job was run", async () => ((await runNextJob(deps)) ? true : undefined));
    const { code, stdout } = await running;
    return { code, ...JSON.parse(stdout) };
  };
  const folder = await mkdtemp(join(tmpdir(), "scrip-jobs-"));
  const file = join(folder, "prices.csv");
  try {
    await writeFile(file, "product,list,currency,amount\nnone,standard,USD,9.50\n");
    const refused = await followed(["import", "prices", file]);
    assert.deepEqual([refused.code, refused.state], [1, "failed"]);
    assert.match(JSON.stringify(refused.result), /there is no product/);
    const missing = await scrip.run([
      "job",
      "import",
      "stock",
      join(folder, "none.csv"),
      "--product",
      "card",
    ]);
    assert.match(missing.stderr, /file not found/);
    assert.equal((await scrip.run(["job", "import", "people", file])).code, 2);
  } finally {
    await rm(folder, { recursive: true });
  }
  for (const options of [[], ["--full"]]) {
    const audited = await followed(["audit", ...options]);
    assert.deepEqual([audited.code, audited.state, audited.result.ok], [0, "succeeded", true]);
  }
  const runs = await app.db.rows(
    sql`select since is null as "isFull" from audit_runs order by id desc limit 2`,
  );
  assert.deepEqual(runs, [{ isFull: true }, { isFull: false }]);
  await app.db.rows(sql`delete from jobs`);
});

test("scrip job starts an export, follows it to its end, prints its file, and refuses what has ended", async () => {
  assert.match((await scrip.run(["job", "list"])).stdout, /^No jobs/);
  const { id } = await scrip.json<{ id: string }>(["job", "export", "--env", "live"]);
  assert.match((await scrip.run(["job", "list"])).stdout, new RegExp(`${id} +export_orders +waiting`));
  const following = scrip.run(["job", "show", id, "--follow"]);
  const deps = await openJobDeps(app.db, systemClock);
  await eventually("the job was run", async () => ((await runNextJob(deps)) ? true : undefined));
  const { stdout, stderr } = await following;
  assert.match(stdout, /state +succeeded\n[\s\S]*result +\{"orders":0\}/);
  assert.equal(stderr, "");
  assert.match((await scrip.run(["job", "result", id])).stdout, /^id,reseller,environment/);
  const again = await scrip.run(["job", "cancel", id]);
  assert.deepEqual([again.code, again.stderr], [1, "scrip: this job is succeeded already\n"]);
  const other = await scrip.json<{ id: string }>(["job", "export"]);
  assert.equal((await scrip.run(["job", "cancel", other.id])).stdout, `${other.id} is cancelled\n`);
  assert.equal((await scrip.run(["job", "export", "--env", "beta"])).code, 2);
  const recover = ["job", "recover", "--since", "2030-01-31T12:00:00Z", "--endpoint"];
  assert.match((await scrip.run([...recover, "whk_none"])).stderr, /there is no webhook endpoint whk_none/);
  const { id: resellerId } = await app.addReseller();
  const endpointId = await addEndpoint(app.db, { resellerId, environment: "live" });
  const job = await scrip.json<{ id: string }>([...recover, endpointId]);
  await runNextJob(deps);
  const shown = await scrip.json<{ state: string; error: string }>(["job", "show", job.id]);
  assert.deepEqual([shown.state, shown.error], ["failed", "since must not be in the future."]);
});
