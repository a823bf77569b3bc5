import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { addProducts } from "../../testing/builders/builders.ts";
import { openJobDeps } from "../../testing/builders/job-desk.ts";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import { eventually } from "../../testing/eventually.ts";
import { createHandClock } from "../../testing/hand-clock.ts";
import { forkNode } from "../../testing/processes/fork-node.ts";
import { getJob } from "./list-jobs.ts";
import { runNextJob } from "./run-job.ts";
import { startJob } from "./start-job.ts";

const CODES = 1_500;

test("kill -9 in the middle of an import of stock: another worker imports every code once", async () => {
  const { db, connectionString, drop } = await createTestDatabase();
  after(drop);
  const clock = createHandClock();
  const deps = await openJobDeps(db, clock);
  await addProducts(db, [{ id: "card" }]);
  const codes = Array.from({ length: CODES }, (_, number) => `KILL-${number}`);
  const id = await startJob(
    deps,
    {
      kind: "import_stock",
      params: { productId: "card" },
      input: Buffer.from(`code\n${codes.join("\n")}\n`),
    },
    { actor: { kind: "staff", id: "stf_ana" } },
  );
  // The import can read its routes and not write one: it stops after its codes are staged, before they are stored.
  const child = await db.transaction(async (tx) => {
    await tx.rows(sql`lock table supplier_routes in exclusive mode`);
    const worker = await forkNode("jobs", { connectionString, nowMs: clock.now().getTime() });
    await eventually("the import waits for the lock", async () => {
      const waiting = await db.rows(sql`
        select from pg_locks where relation = 'supplier_routes'::regclass and not granted`);
      return waiting.length > 0 ? true : undefined;
    });
    await worker.kill();
    return worker;
  });
  assert.equal((await child.ended).signal, "SIGKILL");
  assert.equal((await getJob(db, id)).state, "running");
  assert.equal(await runNextJob(deps), false, "its lease has not ended yet");
  clock.advance(30_000);
  assert.equal(await runNextJob(deps), true);
  const { state, result } = await getJob(db, id);
  assert.deepEqual([state, result?.imported], ["succeeded", CODES]);
  const [row] = await db.rows<{ codes: number }>(sql`select count(*)::integer as codes from codes`);
  assert.equal(row?.codes, CODES);
});
