import { audit } from "../../server/src/audit/audit.ts";
import { findJobFaults } from "../actors/jobs.ts";
import type { Findings } from "../findings.ts";
import type { Recorder } from "../recorder.ts";
import type { Account } from "../shopfront.ts";
import type { World } from "../world.ts";
import { findCodeFaults } from "./verify-codes.ts";
import { findEventFaults } from "./verify-events.ts";
import { findBalanceFaults, findOrderFaults, findPaymentFaults } from "./verify-money.ts";

/** Compares what callers, receivers and suppliers know with the database. */
export async function verify(
  world: World,
  accounts: readonly Account[],
  recorder: Recorder,
  stock: number,
): Promise<Findings> {
  const { invariants } = await audit(world.db);
  const jobs = await findJobFaults(world.db, recorder);
  return {
    ...(await findOrderFaults(world.db, recorder)),
    "payments lost or duplicated": await findPaymentFaults(world.db, recorder),
    "balances that differ": await findBalanceFaults(world, accounts),
    ...(await findCodeFaults(world, recorder, stock + jobs.imported)),
    ...(await findEventFaults(world, accounts)),
    "signatures unexplained": world.receivers.unexplained(),
    "jobs lost or wrong": jobs.faults,
    contradictions: recorder.contradictions,
    "invariants broken": invariants.flatMap(({ number, ok, violations }) =>
      ok ? [] : violations.map((text) => `${number}: ${text}`),
    ),
  };
}
