import { setTimeout as wait } from "node:timers/promises";
import sql from "sql-template-tag";
import { countUnendedJobs } from "./actors/jobs.ts";
import type { World } from "./world.ts";

const DEADLINE_MS = 300_000;
const LOOK_EVERY_MS = 250;
const PULLS_MAX = 30;
const BETWEEN_PULLS_MS = 4_000;

/** After the faults everything is healthy again and finishes its work. Returns what did not finish. */
export async function settle(world: World, say: (line: string) => void): Promise<string[]> {
  world.receivers.heal();
  for (const upstream of world.upstreams) upstream.heal();
  for (const node of [...world.apis, ...world.workers]) node.setClock(0);
  const unended = await until(world, DEADLINE_MS, sql`select count(*)::integer as count from order_work`);
  if (unended > 0) return [`${unended} orders did not finish`];
  const unpaid = await until(
    world,
    DEADLINE_MS,
    sql`select count(*)::integer as count from orders where test_scenario = 'refunded_after_completion' and status = 'completed'`,
  );
  if (unpaid > 0) return [`${unpaid} orders were not refunded after their completion`];
  // A job whose worker was killed is taken again after its lease.
  const unendedJobs = await until(world, DEADLINE_MS, countUnendedJobs);
  if (unendedJobs > 0) return [`${unendedJobs} jobs did not end`];
  say("every order and job has ended; the remaining deliveries follow, without their pauses");
  const waiting = sql`select count(*)::integer as count from deliveries where status = 'pending'`;
  for (let pulls = 1; pulls <= PULLS_MAX; pulls += 1) {
    await world.db.rows(sql`
      update deliveries set next_attempt_at = now() where status = 'pending' and next_attempt_at > now()`);
    if ((await until(world, BETWEEN_PULLS_MS, waiting)) === 0) return [];
  }
  return [`${await until(world, 1, waiting)} deliveries did not finish`];
}

/** Waits until the count is zero, up to a limit. Returns the count. */
async function until(world: World, timeoutMs: number, count: ReturnType<typeof sql>): Promise<number> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const rows = await world.db.rows<{ count: number }>(count).catch(() => []);
    const left = rows[0]?.count ?? 1;
    if (left === 0 || performance.now() > deadlineMs) return left;
    await wait(LOOK_EVERY_MS);
  }
}
