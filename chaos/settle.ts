import { setTimeout as wait } from "node:timers/promises";
import sql from "sql-template-tag";
import type { World } from "./world.ts";

const DEADLINE_MS = 300_000;
const LOOK_EVERY_MS = 250;
/** Longer than the longest pause between two attempts of a delivery. */
const CLOCK_LEAP_MS = 30 * 3_600_000;
const LEAPS_MAX = 6;
const BETWEEN_LEAPS_MS = 20_000;

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
  say("every order has ended; the remaining deliveries follow, with clocks that jump to their next attempts");
  const waiting = sql`select count(*)::integer as count from deliveries where status = 'pending'`;
  for (let leaps = 1; leaps <= LEAPS_MAX; leaps += 1) {
    for (const worker of world.workers) worker.setClock(leaps * CLOCK_LEAP_MS);
    if ((await until(world, BETWEEN_LEAPS_MS, waiting)) === 0) return [];
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
