import sql from "sql-template-tag";
import type { Queryable } from "../../src/db/database.ts";
import { createFulfiller, type FulfilDeps, type Fulfiller } from "../../src/fulfilment/fulfil-orders.ts";
import { FULFILMENT_LIMITS } from "../../src/fulfilment/limits.ts";
import { followWrittenOff } from "../../src/fulfilment/operate/follow-written-off.ts";
import { createOpenSuppliers } from "../../src/suppliers/open-suppliers.ts";
import { refreshSupply } from "../../src/suppliers/refresh-supply.ts";
import type { RemoteSupplier } from "../../src/suppliers/supplier.ts";
import type { Keyring } from "../../src/vault/keyring.ts";
import type { HandClock } from "../hand-clock.ts";

export type CrashWorkerContext = Pick<FulfilDeps, "db" | "codeVault" | "digestCode" | "log"> & {
  clock: HandClock;
  keyring: Keyring;
  /** The connection that finds what is due next, if it differs from the worker's. */
  lookDb: Queryable;
  wrapSupplier?: (supplier: RemoteSupplier, supplierId: string) => RemoteSupplier;
};

export type CrashWorker = {
  fulfiller: Fulfiller;
  deps: FulfilDeps;
  /** Works until no order and no purchase is left. Where a server would wait, the clock moves on. */
  workUntilDone(): Promise<void>;
};

/** A written-off purchase that is not found soon counts as not made, so that few lookups settle it. */
const LIMITS = { ...FULFILMENT_LIMITS, writtenOffLookMs: 10_000 };
/** The maximum time on the worker's clock: a lease, and some lookups that each wait for late purchases. */
const PATIENCE_MS = 10 * 60_000;
/** On the real clock, for work that is due but held by another process. */
const DEADLINE_MS = 30_000;

/** Everything that a server does for orders, in sequence: orders, leases, written-off purchases, supply. */
export function createCrashWorker(context: CrashWorkerContext): CrashWorker {
  const { db, clock, codeVault, digestCode, log, keyring, lookDb } = context;
  const { wrapSupplier = (supplier: RemoteSupplier) => supplier } = context;
  const suppliers = createOpenSuppliers({ db, keyring, timeoutMs: LIMITS.callTimeoutMs });
  const refreshes: Promise<unknown>[] = [];
  const deps: FulfilDeps = {
    db,
    clock,
    codeVault,
    digestCode,
    log,
    limits: LIMITS,
    // Metrics are not read, and loading them takes as long as half of the rest of the worker.
    metrics: { count: () => {}, show: () => {}, showSuppliers: () => {} },
    openSupplier: async (id) => {
      const opened = await suppliers.open(id);
      return opened && { ...opened, supplier: wrapSupplier(opened.supplier, id) };
    },
    onBreakerOpened: () => {},
    onPriceAlert: () => {},
    onStockTaken: (productIds) => void refreshes.push(refreshSupply(db, productIds, clock.now())),
    onReturned: () => {},
    onEnded: () => {},
    onDamaged: () => {},
  };
  const fulfiller = createFulfiller(deps);

  const workOnce = async (due: NextDue, now: Date): Promise<void> => {
    if (due.order && due.order <= now) {
      await fulfiller.step();
      await fulfiller.renew();
      await fulfiller.idle();
      await Promise.all(refreshes.splice(0));
    }
    if (due.writtenOff && due.writtenOff <= now) await followWrittenOff(deps);
  };
  return {
    fulfiller,
    deps,
    async workUntilDone() {
      const patienceUntil = clock.now().getTime() + PATIENCE_MS;
      const deadline = Date.now() + DEADLINE_MS;
      for (;;) {
        const due = await findNextDue(lookDb);
        const times = [due.order, due.writtenOff].filter((at) => at !== null).map((at) => at.getTime());
        if (times.length === 0) return;
        const soonest = Math.min(...times);
        if (soonest > patienceUntil || Date.now() > deadline)
          throw new Error(`work remains at ${new Date(soonest).toISOString()}`);
        clock.advance(Math.max(0, soonest - clock.now().getTime()));
        await workOnce(due, clock.now());
      }
    },
  };
}

type NextDue = { order: Date | null; writtenOff: Date | null };

async function findNextDue(db: Queryable): Promise<NextDue> {
  const [row] = await db.rows<NextDue>(sql`
    select (select min(due_at) from order_work) as "order",
           (select min(next_look_at) from supplier_attempts where status = 'open' and written_off_at is not null)
             as "writtenOff"`);
  return row ?? { order: null, writtenOff: null };
}
