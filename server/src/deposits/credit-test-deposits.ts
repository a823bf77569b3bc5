import { Refusal } from "../accounts/refusal.ts";
import type { By } from "../activity/record-activity.ts";
import type { Log } from "../lib/log.ts";
import { AMOUNT_MAX_MINOR } from "../lib/money.ts";
import { findWallet } from "../wallet/queries.ts";
import { type Loop, runLoop } from "../work/run-loop.ts";
import { creditLocked } from "./credit-deposit.ts";
import { listTestRequests } from "./deposit-queries.ts";
import { type DepositDeps, lockOpen, writeReceived } from "./receive-deposit.ts";
import { rejectDeposit } from "./reject-deposit.ts";

/** Notes with which a test deposit ends otherwise than credited in full. */
export const TEST_NOTES = { wait: "test:wait", partial: "test:partial", reject: "test:reject" } as const;

const POLL_MS = 1_000;
const STEP_MAX = 50;
/** Far from what a wallet can hold, so that there is always room for a refund. */
const TEST_BALANCE_MAX_MINOR = AMOUNT_MAX_MINOR / 2n;
const BY: By = { actor: { kind: "system", id: "sandbox" } };

/** The sandbox pays its deposits itself, because nobody sends money to it. */
export const runTestDeposits = ({
  log,
  announceDeliveries,
  ...deps
}: DepositDeps & { log: Log; announceDeliveries: () => void }): Loop =>
  runLoop({
    step: async () => {
      const credited = await creditTestDeposits(deps);
      if (credited > 0) announceDeliveries();
      return credited === STEP_MAX;
    },
    pollMs: POLL_MS,
    onError: (err) => log.error({ err }, "crediting test deposits failed; trying again"),
  });

/** Ends the oldest test deposits, each in its own transaction. Returns how many there were. */
export async function creditTestDeposits(deps: DepositDeps): Promise<number> {
  const due = await listTestRequests(deps.db, TEST_NOTES.wait, STEP_MAX);
  for (const { id } of due) {
    try {
      await endTestDeposit(deps, id);
    } catch (error) {
      // The wallet cannot hold more, or a person was faster. The rest must not wait for it.
      if (!(error instanceof Refusal)) throw error;
      if (error.code === "amount_invalid") await rejectDeposit(deps, id, error.message, BY);
    }
  }
  return due.length;
}

/** Received and credited in one transaction: a worker that dies between the two leaves it requested. */
const endTestDeposit = async ({ db, clock }: DepositDeps, id: string): Promise<void> => {
  const reason = await db.transaction(async (tx) => {
    const deposit = await lockOpen(tx, id);
    if (deposit.environment !== "test" || deposit.status !== "requested") return undefined;
    if (deposit.note === TEST_NOTES.reject) return "The sandbox was asked to reject it.";
    const wallet = await findWallet(tx, deposit);
    if ((wallet?.balanceMinor ?? 0n) + deposit.amountMinor > TEST_BALANCE_MAX_MINOR)
      return "The sandbox wallet cannot hold that much.";
    const half = deposit.amountMinor > 1n ? deposit.amountMinor / 2n : 1n;
    const amountMinor = deposit.note === TEST_NOTES.partial ? half : deposit.amountMinor;
    const received = await writeReceived(tx, clock, deposit, { amountMinor, from: "hand" }, BY);
    await creditLocked(tx, { clock, dualControl: undefined }, received, BY);
    return undefined;
  });
  if (reason !== undefined) await rejectDeposit({ db, clock }, id, reason, BY);
};
