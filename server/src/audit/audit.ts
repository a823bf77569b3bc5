import sql from "sql-template-tag";
import type { Db, Tx } from "../db/database.ts";
import { depositsAreCreditedOnce } from "./deposit-invariants.ts";
import { acknowledgementsSurvive } from "./durability-invariants.ts";
import { environmentsAreApart } from "./environment-invariants.ts";
import type { Invariant } from "./invariant.ts";
import { marginEqualsLedger } from "./margin-invariants.ts";
import { keysBindOneOrder, openOrdersHaveWork, ordersArePaidOnce } from "./order-invariants.ts";
import { proposalsMoveMoneyOnce } from "./proposal-invariants.ts";
import { refundsStayWithinOrders } from "./refund-invariants.ts";
import { rollupsEqualFacts } from "./report-invariants.ts";
import { restoredCodesStaySold } from "./restore-invariants.ts";
import { sealedCodesAreTheResellers } from "./sealing-invariants.ts";
import { keysCountSpending } from "./spending-invariants.ts";
import { statusesFollowTransitions } from "./status-invariants.ts";
import { purchasesAreAccountedFor } from "./supplier-invariants.ts";
import { unitsEndOnce } from "./unit-invariants.ts";
import { ledgerBalances, walletsBalance } from "./wallet-invariants.ts";

export type AuditedInvariant = {
  number: number;
  name: string;
  ok: boolean;
  checked: number;
  violations: string[];
};
export type AuditResult = { ok: boolean; invariants: AuditedInvariant[] };

const VIOLATIONS_SHOWN_MAX = 100;

const invariants: readonly Invariant[] = [
  walletsBalance,
  ledgerBalances,
  ordersArePaidOnce,
  refundsStayWithinOrders,
  keysBindOneOrder,
  unitsEndOnce,
  openOrdersHaveWork,
  statusesFollowTransitions,
  purchasesAreAccountedFor,
  environmentsAreApart,
  acknowledgementsSurvive,
  rollupsEqualFacts,
  proposalsMoveMoneyOnce,
  keysCountSpending,
  marginEqualsLedger,
  depositsAreCreditedOnce,
  sealedCodesAreTheResellers,
  restoredCodesStaySold,
];

/** Checks the invariants on the running database, all on one snapshot, during concurrent writes. */
export const audit = (
  db: Db,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<AuditResult> =>
  db.transaction(async (tx) => {
    await tx.rows(sql`set transaction isolation level repeatable read, read only`);
    // Each query covers whole tables. With stale statistics PostgreSQL underestimates nested loops, and a query
    // would take hours.
    await tx.rows(sql`set local enable_nestloop = off`);
    const results: AuditedInvariant[] = [];
    for (const invariant of invariants) {
      results.push(await prove(tx, invariant));
      onProgress(results.length, invariants.length);
    }
    return { ok: results.every((result) => result.ok), invariants: results };
  });

async function prove(tx: Tx, { number, name, count, violations }: Invariant): Promise<AuditedInvariant> {
  const [counted] = await tx.rows<{ count: bigint }>(count);
  const found = await tx.rows<{ violation: string }>(
    sql`select violation from (${violations}) as found
        order by violation collate "C" limit ${VIOLATIONS_SHOWN_MAX}`,
  );
  return {
    number,
    name,
    ok: found.length === 0,
    checked: Number(counted?.count ?? 0),
    violations: found.map((row) => row.violation),
  };
}
