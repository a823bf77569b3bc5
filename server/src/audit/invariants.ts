import { createHash } from "node:crypto";
import { depositsAreCreditedOnce } from "./deposit-invariants.ts";
import { acknowledgementsSurvive } from "./durability-invariants.ts";
import { environmentsAreApart } from "./environment-invariants.ts";
import { WHOLE } from "./extent.ts";
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

/** In the order of their numbers. */
export const invariants: readonly Invariant[] = [
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

/** Of everything that an audit asks the database. A proof by other questions is not continued. */
export const invariantsDigest: Buffer = digest();

function digest(): Buffer {
  const hash = createHash("sha256");
  for (const { number, name, violations } of invariants) {
    const { text, values } = violations(WHOLE);
    hash.update(JSON.stringify([number, name, text, values.map(String)]));
  }
  return hash.digest();
}
