import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { BY, joinParts, openJobDesk, stockFile } from "../../testing/builders/job-desk.ts";
import { eventually } from "../../testing/eventually.ts";
import { cancelJob } from "./change-job.ts";
import type { JobKindName } from "./kinds.ts";
import { downloadResult, getJob, listJobs } from "./list-jobs.ts";
import { pruneJobs } from "./prune-jobs.ts";
import { RUNS_MAX, runNextJob } from "./run-job.ts";

const LEASE_MS = 30_000;
const DAY_MS = 86_400_000;

const { db, drop, clock, deps, start, runAll, count } = await openJobDesk();
after(drop);

test("a file with refused rows imports nothing, names lines and never a code, and can be downloaded", async () => {
  const before = await count("from codes");
  const id = await start("import_stock", { productId: "card" }, stockFile(["GOOD-77", "TEST-88", "GOOD-77"]));
  const [part] = await db.rows<{ sealed: Buffer }>(sql`select sealed from job_parts where job_id = ${id}`);
  assert.equal(part?.sealed.includes("GOOD-77"), false, "sealed at rest");
  await runAll();
  const job = await getJob(db, id);
  assert.deepEqual([job.state, job.error], ["failed", "Nothing was imported: 2 invalid rows."]);
  assert.equal(await count("from codes"), before);
  assert.equal(await count(`from job_parts where job_id = '${id}' and role = 'input'`), 0);
  const download = await downloadResult(db, id);
  const csv = await joinParts(download.body);
  assert.match(csv, /^line,id,reason\r\n3,,"code: begins with TEST-/);
  assert.match(csv, /4,,code: duplicate of line 2/);
  const everything = JSON.stringify([
    job.result,
    job.error,
    csv,
    deps.logged,
    await db.rows(sql`select * from activity`),
  ]);
  assert.doesNotMatch(everything, /GOOD-77|TEST-88/);
});

test("a file with NUL characters and half characters is refused at its first run, with its rows", async () => {
  const logged = deps.logged.length;
  const files: readonly (readonly [JobKindName, string])[] = [
    ["import_catalog", "\0\u0001,a\nid\0,name\n"],
    ["import_catalog", '{"id":"a\\u0000b","name":1}\n{"id":"\\ud800"}\n'],
    ["import_prices", "product,list,currency,amount\nca\0rd,x,USD,a\0b\n"],
    ["import_deposits", "Date;Amount\0;Currency\n\0;\0;\0\n"],
    ["import_stock", "code\nA\0B\n"],
  ];
  for (const [kind, file] of files) {
    const params = kind === "import_stock" ? { productId: "card" } : { preview: true };
    const id = await start(kind, params, file);
    await runAll();
    const { state, error } = await getJob(db, id);
    assert.equal(state, "failed", `${kind}: ${error}`);
  }
  assert.deepEqual(deps.logged.slice(logged), []);
});

test("a cancelled job stops at its next step and undoes its import; a waiting one ends at once", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const id = await start("import_stock", { productId: "card" }, stockFile(["CANCEL-1"]));
  const before = await count("from codes");
  const cancelled = {
    ...db,
    transaction: async <T>(work: Parameters<typeof db.transaction<T>>[0]) => {
      if ((await getJob(db, id)).cancelAskedAt === null) {
        await cancelJob(deps, id, BY);
        clock.advance(1_000);
        t.mock.timers.tick(1_000);
        await eventually("the lease is renewed", async () => {
          const until = new Date(clock.now().getTime() + LEASE_MS);
          const rows = await db.rows(sql`select from jobs where id = ${id} and leased_until = ${until}`);
          return rows.length > 0 ? true : undefined;
        });
      }
      return db.transaction(work);
    },
  };
  await runNextJob({ ...deps, db: cancelled });
  assert.equal((await getJob(db, id)).state, "cancelled");
  assert.equal(await count("from codes"), before);
  assert.equal(await count(`from job_parts where job_id = '${id}'`), 0);
  const waiting = await start("audit");
  await cancelJob(deps, waiting, BY);
  assert.equal((await getJob(db, waiting)).state, "cancelled");
  await assert.rejects(cancelJob(deps, waiting, BY), /cancelled already/);
  assert.equal(await runNextJob(deps), false);
});

test("a job that is cancelled half way leaves no part of its file", async () => {
  const id = await start("export_orders");
  await db.rows(
    sql`insert into job_parts (job_id, role, number, packed, bytes) values (${id}, 'result', 0, 'half', 4)`,
  );
  await db.rows(sql`update jobs set cancel_asked_at = now() where id = ${id}`);
  await runAll();
  assert.equal((await getJob(db, id)).state, "cancelled");
  assert.equal(await count(`from job_parts where job_id = '${id}'`), 0);
});

test("a worker that stops gives its job back, and one whose lease is gone writes nothing", async () => {
  const id = await start("import_stock", { productId: "card" }, stockFile(["STOP-1"]));
  const stopped = new AbortController();
  stopped.abort();
  await runNextJob(deps, stopped.signal);
  assert.equal((await getJob(db, id)).state, "waiting");
  const slow = {
    ...deps,
    db: {
      ...db,
      transaction: async <T>(work: Parameters<typeof db.transaction<T>>[0]) => {
        clock.advance(LEASE_MS);
        await runAll();
        return db.transaction(work);
      },
    },
  };
  await runNextJob(slow);
  assert.equal((await getJob(db, id)).state, "succeeded");
  assert.equal((await getJob(db, id)).result?.imported, 1);
  await runAll();
});

test("a job that fails for no known reason is given up after some runs, and its error names nothing", async () => {
  const id = await start("audit");
  const broken = {
    ...deps,
    secrets: deps.secrets,
    db: { ...db, transaction: async () => Promise.reject(new Error("S3CRET")) },
  };
  for (let run = 0; run < RUNS_MAX; run += 1) {
    await runNextJob(broken as never).catch(() => {});
    clock.advance(LEASE_MS);
  }
  await runNextJob(deps);
  const { state, error } = await getJob(db, id);
  assert.deepEqual(
    [state, error],
    ["failed", `the job was started ${RUNS_MAX} times and never came to its end`],
  );
  const unknown = await start("no_such_kind" as JobKindName);
  await runNextJob(deps);
  assert.match((await getJob(db, unknown)).error ?? "", /does not know this kind/);
});

test("results are kept for 7 days, previews for one, and jobs for 90", async () => {
  const exported = await start("export_orders", { environment: "test" });
  const preview = await start(
    "import_catalog",
    { preview: true },
    "id,name,faceValue.amount,faceValue.currency\nx,X,1,USD\n",
  );
  await runAll();
  assert.ok((await getJob(db, exported)).file);
  clock.advance(DAY_MS + 1);
  await pruneJobs(deps);
  assert.equal((await getJob(db, preview)).state, "cancelled");
  assert.ok((await getJob(db, exported)).file);
  clock.advance(6 * DAY_MS);
  while (await pruneJobs(deps));
  assert.equal((await getJob(db, exported)).file, undefined);
  await assert.rejects(downloadResult(db, exported), /removed after 7 days/);
  assert.ok((await listJobs(db, { limit: 2 })).nextBeforeId);
  clock.advance(90 * DAY_MS);
  await pruneJobs(deps);
  assert.deepEqual((await listJobs(db)).data, []);
});
