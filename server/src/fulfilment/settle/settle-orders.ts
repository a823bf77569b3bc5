import type { Db } from "../../db/database.ts";
import { errorCodeOf } from "../../db/database-errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { idsOf } from "../../lib/ids.ts";
import type { CodeVault } from "../../vault/code-vault.ts";
import { DamagedCode, setDamagedAside } from "../buy/take-stock.ts";
import { endOrders, type OrderEnding } from "../end/end-orders.ts";
import { lockOrder } from "../operate/operator-queries.ts";
import type { UnitOutcome } from "./decide-settlement.ts";
import { settleOutcomes } from "./settle-outcomes.ts";
import { type Lease, lockTakenOrders } from "./settle-queries.ts";

export type SettleDeps = {
  db: Db;
  clock: Clock;
  codeVault: CodeVault;
  /** A code in stock did not open and was set aside. */
  onDamaged: (codeId: string) => void;
};

export type SettledOrders = {
  endings: OrderEnding[];
  /** Products whose stock was taken or returned, so their availability may have changed. */
  stockTaken: string[];
};

const UNIQUE_VIOLATION = "23505";
const SETTLE_TRIES_MAX = 5;

/**
 * One transaction for a batch of orders: codes, attempts, units, status, refunds. Only orders whose lease is still the
 * worker's own are touched, so a worker that lost its lease writes nothing. Two workers that receive the same code at the
 * same time collide in the database; the later one retries and sees it. A code in stock that does not open is set aside, and
 * another one is taken.
 */
export async function settleOrders(
  { db, clock, codeVault, onDamaged }: SettleDeps,
  batch: readonly (Lease & { outcomes: readonly UnitOutcome[] })[],
  now: Date,
): Promise<SettledOrders> {
  const settle = () =>
    db.transaction(async (tx) => {
      const held = new Map((await lockTakenOrders(tx, batch)).map((lease) => [lease.orderId, lease.token]));
      // One process may have leased the same order twice. Only results under the current lease count.
      const mine = batch.filter(({ orderId, token }) => held.get(orderId) === token);
      const outcomes = mine.flatMap((order) => order.outcomes);
      const ended = await settleOutcomes(tx, codeVault, outcomes, idsOf(clock), now);
      const late = batch.filter((order) => !mine.includes(order)).flatMap((order) => order.outcomes);
      if (held.size === 0) return { endings: [], stockTaken: [], late };
      const { endings, stockReturned } = await endOrders(
        tx,
        codeVault,
        [...held.keys()],
        ended,
        idsOf(clock),
        now,
      );
      return { endings, stockTaken: [...new Set([...productsFromStock(outcomes), ...stockReturned])], late };
    });
  for (let tries = 1; ; tries += 1) {
    try {
      const { late, ...settled } = await settle();
      await keepLateCodes({ db, codeVault, clock }, late, now);
      return settled;
    } catch (error) {
      if (error instanceof DamagedCode) {
        await setDamagedAside(db, error.codeId);
        onDamaged(error.codeId);
      } else if (errorCodeOf(error) !== UNIQUE_VIOLATION) throw error;
      if (tries === SETTLE_TRIES_MAX) throw error;
    }
  }
}

/**
 * What a supplier sold to a worker whose lease has ended is asked for again by the next one, unless a person has entered the code
 * meanwhile: then nobody asks again, and it goes to quarantine.
 */
async function keepLateCodes(
  { db, codeVault, clock }: Pick<SettleDeps, "db" | "codeVault" | "clock">,
  outcomes: readonly UnitOutcome[],
  now: Date,
): Promise<void> {
  for (const outcome of outcomes) {
    if (outcome.kind !== "bought") continue;
    await db.transaction(async (tx) => {
      await lockOrder(tx, outcome.unit.orderId);
      await settleOutcomes(tx, codeVault, [{ ...outcome, isLate: true }], idsOf(clock), now);
    });
  }
}

export const productsFromStock = (outcomes: readonly UnitOutcome[]): string[] => [
  ...new Set(outcomes.flatMap((one) => (one.kind === "take-stock" ? [one.productId] : []))),
];
