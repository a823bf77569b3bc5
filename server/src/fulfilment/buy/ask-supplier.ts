import { recordActivity, SCRIP_ITSELF } from "../../activity/record-activity.ts";
import type { Db } from "../../db/database.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { identityOf } from "../../suppliers/goods.ts";
import type { OpenedSupplier } from "../../suppliers/open-suppliers.ts";
import type { PurchaseOutcome, RemoteSupplier } from "../../suppliers/supplier.ts";
import type { UnitKey } from "../../vault/code-place.ts";
import type { Judgement } from "../judge/judge-answer.ts";
import type { FulfilmentLimits } from "../limits.ts";
import type { UnitOutcome } from "../settle/decide-settlement.ts";
import type { Attempt } from "../take/order-work.ts";
import type { PriceAlert } from "./guard-price.ts";
import { recordAnswer, recordFailure } from "./supplier-gate.ts";

export type BuyDeps = {
  db: Db;
  clock: Clock;
  /** The clock of this machine, which also counts the time that the machine sleeps. The system's unless given. */
  machineClock?: Clock;
  limits: FulfilmentLimits;
  /** Undefined for a supplier that cannot be called: it is gone, or its config does not open. */
  openSupplier: (supplierId: string) => Promise<OpenedSupplier | undefined>;
  digestCode: (text: string) => Buffer;
  /** By id and class of failure: a log must not name a supplier or quote its answer. */
  onBreakerOpened: (supplierId: string, failure: string) => void;
  /** A supplier's price is not what was expected. */
  onPriceAlert: (alert: PriceAlert) => void;
};

export const machineTime = ({ machineClock = systemClock }: BuyDeps): number => machineClock.now().getTime();

export const UNAVAILABLE: PurchaseOutcome = { kind: "unknown", reason: "not available" };

/** Asks to buy. The answer also updates the supplier's circuit breaker. */
export async function ask(
  deps: BuyDeps,
  supplierId: string,
  call: (supplier: RemoteSupplier) => Promise<PurchaseOutcome>,
  unavailable: PurchaseOutcome,
): Promise<PurchaseOutcome> {
  const opened = await deps.openSupplier(supplierId);
  const answer = opened ? await call(opened.supplier) : unavailable;
  const isFault = answer.kind === "unknown" || (answer.kind === "refused" && answer.supplierFault);
  if (!isFault) {
    if (opened?.hasFailed) await markAnswered(deps, supplierId);
  } else await markFailed(deps, supplierId, answer.kind === "unknown" ? answer.reason : answer.kind);
  return answer;
}

const markAnswered = ({ db, clock }: BuyDeps, supplierId: string): Promise<void> =>
  db.transaction(async (tx) => {
    if (await recordAnswer(tx, supplierId))
      await recordActivity(tx, clock, {
        ...SCRIP_ITSELF,
        action: "supplier.resumed",
        object: { kind: "supplier", id: supplierId },
      });
  });

async function markFailed(
  { db, clock, limits, onBreakerOpened }: BuyDeps,
  supplierId: string,
  failure: string,
): Promise<void> {
  const isOpened = await db.transaction(async (tx) => {
    if (!(await recordFailure(tx, supplierId, clock.now(), limits))) return false;
    await recordActivity(tx, clock, {
      ...SCRIP_ITSELF,
      action: "supplier.paused",
      object: { kind: "supplier", id: supplierId },
      after: { failure },
    });
    return true;
  });
  if (isOpened) onBreakerOpened(supplierId, failure);
}

export function toOutcome(
  deps: BuyDeps,
  unit: UnitKey & { productId: string },
  { number, supplierId }: Attempt,
  judgement: Judgement,
): UnitOutcome & { kind: Judgement["kind"] } {
  const about = { unit: keyOf(unit), productId: unit.productId, number };
  switch (judgement.kind) {
    case "bought": {
      const { goods, upstreamId } = judgement.answer;
      const identity = identityOf(goods.reveal());
      const digest = identity === undefined ? null : deps.digestCode(identity);
      return { ...about, kind: "bought", supplierId, goods, digest, upstreamId };
    }
    case "not-made":
      return { ...about, ...judgement, supplierId };
    case "refused":
    case "open":
      return { ...about, ...judgement };
  }
}

export const wait = ({ clock, limits }: BuyDeps, unit: UnitKey & { productId: string }): UnitOutcome => ({
  unit: keyOf(unit),
  productId: unit.productId,
  kind: "wait",
  until: new Date(clock.now().getTime() + limits.lookFirstMs),
});

export const keyOf = ({ orderId, lineIndex, unitIndex }: UnitKey): UnitKey => ({
  orderId,
  lineIndex,
  unitIndex,
});
