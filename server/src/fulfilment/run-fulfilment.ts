import { createBatcher } from "../lib/batch.ts";
import { readNextBalance } from "../suppliers/read-balances.ts";
import { watchNextReversals } from "../suppliers/reconcile/watch-reversals.ts";
import { refreshSupply } from "../suppliers/refresh-supply.ts";
import { type Loop, runLoop } from "../work/run-loop.ts";
import { createFulfiller, type FulfilDeps } from "./fulfil-orders.ts";
import { followWrittenOff } from "./operate/follow-written-off.ts";
import { refundAfterCompletion } from "./refund/refund-after-completion.ts";
import { runOrders } from "./run-orders.ts";
import { sweep } from "./sweep.ts";

/** Notifies workers of new orders. */
export const ORDERS_CHANNEL = "scrip_orders";

export type RunningFulfilment = {
  /** Takes no more orders and waits for those in progress until the timeout. Other workers take over the rest. */
  stop(timeoutMs: number): Promise<void>;
};

const SWEEP_EVERY_MS = 30_000;
const FOLLOW_EVERY_MS = 5_000;
const BALANCES_EVERY_MS = 60_000;

/** The background work of a process: orders, written-off purchases, and periodic checks. */
export function runFulfilment(
  deps: Omit<FulfilDeps, "onStockTaken" | "onReturned"> & { closeSuppliers?: () => Promise<void> },
): RunningFulfilment {
  const { db, log, limits } = deps;
  const refresh = createBatcher<readonly string[], void>({
    run: async (groups) => {
      await refreshSupply(db, groups.flat(), deps.clock.now());
      return [];
    },
    maxSize: 1_000,
    maxRunning: 1,
  });
  const wake = () => orders.wake();
  const fulfiller = createFulfiller({
    ...deps,
    onReturned: wake,
    onStockTaken: (productIds) =>
      void refresh(productIds).catch((err) =>
        log.warn({ err }, "supply could not be refreshed; the next sweep retries"),
      ),
  });

  const loop = (step: () => Promise<boolean>, pollMs: number, what: string): Loop =>
    runLoop({ step, pollMs, onError: (err) => log.error({ err }, `${what} failed; retrying`) });
  const orders = runOrders({
    fulfiller,
    pollMs: limits.pollMs,
    onError: (err) => log.error({ err }, "fulfilment failed; retrying"),
  });
  const leases = loop(() => once(() => fulfiller.renew()), limits.leaseMs / 3, "the renewal of leases");
  const others = [
    loop(() => refundAfterCompletion(deps), limits.pollMs, "the refund of sandbox orders"),
    loop(() => followWrittenOff(deps), FOLLOW_EVERY_MS, "the follow-up of purchases"),
    loop(() => once(() => sweep(deps)), SWEEP_EVERY_MS, "the sweep"),
    loop(
      afterFirst(() => readNextBalance(deps)),
      BALANCES_EVERY_MS,
      "reading balances at suppliers",
    ),
    loop(
      afterFirst(() => watchNextReversals(deps)),
      BALANCES_EVERY_MS,
      "looking for reversals at suppliers",
    ),
  ];
  const listener = db.listen(ORDERS_CHANNEL, wake);

  return {
    async stop(timeoutMs) {
      const stopped = Promise.all([listener.close(), ...[orders, ...others].map((one) => one.stop())]);
      // The leases are kept until the last supplier has answered.
      const done = stopped
        .then(() => fulfiller.idle())
        .finally(() => leases.stop())
        .then(() => deps.closeSuppliers?.());
      let timer: NodeJS.Timeout | undefined;
      const tooLong = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, timeoutMs);
      });
      await Promise.race([done, tooLong]);
      clearTimeout(timer);
    },
  };
}

/** A process that has just started buys first. */
const afterFirst = (step: () => Promise<boolean>): (() => Promise<boolean>) => {
  let isFirst = true;
  return async () => {
    const skips = isFirst;
    isFirst = false;
    return skips ? false : step();
  };
};

const once = async (work: () => Promise<void>): Promise<false> => {
  await work();
  return false;
};
