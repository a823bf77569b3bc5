import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { TEST_MASTER_KEY } from "../../../testing/app/test-settings.ts";
import { openConsoleDesk } from "../../../testing/people/console-desk.ts";
import { runAudit } from "../../audit/record-audit.ts";
import { listJobs } from "../../jobs/list-jobs.ts";

const desk = await openConsoleDesk();
const { db, clock } = desk;
after(desk.close);
const admin = await desk.enter("admin");
const viewer = await desk.enter("viewer");

const addProcess = (id: string, role: string, secondsAgo: number) =>
  db.rows(sql`
    insert into processes (id, role, host, pid, version, beat_at)
    values (${id}, ${role}, ${`<b>${id}</b>`}, 7, '0.1.0', clock_timestamp() - make_interval(secs => ${secondsAgo}))`);

test("without a worker the page says so, and with one it shows who is alive and who is silent", async () => {
  await addProcess("api-1", "api", 1);
  assert.match((await viewer.get("/system")).body, /No worker is alive/);
  await addProcess("worker-1", "worker", 1);
  await addProcess("worker-2", "worker", 120);
  const { body } = await viewer.get("/system");
  assert.doesNotMatch(body, /No worker is alive/);
  assert.equal(body.split(">alive<").length - 1, 2);
  assert.equal(body.split(">silent<").length - 1, 1);
  assert.match(body, /&lt;b&gt;worker-2&lt;\/b&gt;/);
});

test("it shows versions, migrations, queues, the database, the vault and the last audit, and no secret", async () => {
  const before = (await viewer.get("/system")).body;
  assert.match(before, /Last audit<\/dt><dd>never/);
  await runAudit({ db, clock }, { kind: "command", id: "scrip" });
  const { body } = await viewer.get("/system");
  for (const words of [
    /PostgreSQL \d+/,
    /\d+ applied, the newest \d{4}_/,
    /Orders due<\/dt><dd>0/,
    /Connections<\/dt><dd>\d+ of/,
    />clean</,
  ])
    assert.match(body, words);
  for (const secret of [
    TEST_MASTER_KEY.toString("hex"),
    TEST_MASTER_KEY.toString("base64"),
    "postgres://",
    "password",
  ])
    assert.ok(!body.includes(secret), secret);
});

test("an admin starts one audit at a time, and nobody else any", async () => {
  assert.doesNotMatch((await viewer.get("/system")).body, /Run the audit/);
  assert.equal((await viewer.post("/system/audit")).statusCode, 403);
  assert.match((await admin.get("/system")).body, /Run the audit/);
  assert.equal((await admin.post("/system/audit", { extent: "full" })).statusCode, 303);
  assert.equal((await admin.post("/system/audit")).statusCode, 303);
  const { data } = await listJobs(db, { kinds: ["audit"] });
  assert.deepEqual(
    data.map(({ actorKind, actorId }) => [actorKind, actorId]),
    [["staff", admin.accountId]],
  );
  assert.deepEqual(await db.rows(sql`select params from jobs where kind = 'audit'`), [
    { params: { full: true } },
  ]);
});
