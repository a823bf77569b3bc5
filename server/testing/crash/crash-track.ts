import sql from "sql-template-tag";
import type { RefundInput } from "../../src/fulfilment/refund/refund-order.ts";
import { createLog } from "../../src/lib/log.ts";
import { secret } from "../../src/lib/secret.ts";
import { addSupplier } from "../../src/suppliers/add-supplier.ts";
import { createScripSupplier } from "../../src/suppliers/scrip/scrip-supplier.ts";
import type { RemoteSupplier } from "../../src/suppliers/supplier.ts";
import { createCodeDigest } from "../../src/vault/code-digest.ts";
import { fixedKeyring, type Keyring } from "../../src/vault/keyring.ts";
import { TEST_MASTER_KEY } from "../app/test-settings.ts";
import { openShop, type Shop } from "../builders/shop.ts";
import type { WorkerJob } from "../processes/fork-node.ts";
import { startWorkerProcess, type WorkerEnd } from "../processes/start-worker-process.ts";
import type { Suppliers } from "../processes/supplier-line.ts";
import { createRendezvous } from "../rendezvous.ts";
import { createTurns } from "../turns.ts";
import { type FakeUpstream, startFakeUpstream } from "../upstream/fake-upstream.ts";
import type { Plan } from "../upstream/upstream-faults.ts";
import { type CrashWorker, createCrashWorker } from "./crash-worker.ts";

/** A separate shop with two upstreams and a healthy worker, for a sequence of crashes. */
export type CrashTrack = {
  shop: Shop;
  upstreams: readonly FakeUpstream[];
  worker: CrashWorker;
  /** A product that the upstreams sell as planned, each with its own plan. The first upstream is asked first. */
  addBought(...plans: Plan[]): Promise<string>;
  /**
   * Places orders: in turn with the other tracks, and late enough that no rate limit or breaker remembers earlier
   * ones.
   */
  place<Placed>(placing: () => Promise<Placed>): Promise<Placed>;
  /**
   * Runs a worker in another process until it ends or is killed at a point. All tracks share the process, which
   * starts when each of them has called, so either all are killed or none.
   */
  crash(killAt: number, refund?: RefundInput): Promise<WorkerEnd>;
  close(): Promise<void>;
};

const APART_MS = 3_600_000;
const UPSTREAMS = ["A", "B"];
const RATE_PER_SECOND = 50;

type OpenCrash = { job: WorkerJob; suppliers: Suppliers };
type Crash = (open: OpenCrash) => Promise<WorkerEnd>;

/**
 * Opens several tracks that work in parallel. An order's time is the time in its id, and ids never go back within a
 * process, so each placement is later than all before it, in any track.
 */
export function openCrashTracks(count: number): Promise<CrashTrack[]> {
  const takeTurn = createTurns();
  let latestMs = 0;
  const placeIn =
    ({ scrip, clock }: Shop): CrashTrack["place"] =>
    (placing) =>
      takeTurn(async () => {
        latestMs = Math.max(latestMs, clock.now().getTime()) + APART_MS;
        clock.advance(latestMs - clock.now().getTime());
        await scrip.db.rows(sql`update suppliers set consecutive_failures = 0, open_until = null`);
        return placing();
      });
  const crash = createRendezvous<OpenCrash, WorkerEnd>(count, (all) =>
    startWorkerProcess(
      all.map(({ job }) => job),
      new Map(all.flatMap(({ suppliers }) => [...suppliers])),
    ),
  );
  return Promise.all(Array.from({ length: count }, () => openCrashTrack(placeIn, crash)));
}

async function openCrashTrack(
  placeIn: (shop: Shop) => CrashTrack["place"],
  crash: Crash,
): Promise<CrashTrack> {
  const shop = await openShop();
  const { scrip, clock } = shop;
  const keyring = fixedKeyring([secret(TEST_MASTER_KEY)]);
  const digestCode = createCodeDigest(scrip.secrets.codeDigestKey);
  const log = createLog("warn", process.stderr);
  const plans = new Map<string, Plan>();
  const upstreams = await Promise.all(UPSTREAMS.map((_, index) => openUpstream(index, plans)));
  const suppliers = await addSuppliers(shop, keyring, upstreams);

  return {
    shop,
    upstreams,
    worker: createCrashWorker({ ...scrip, clock, digestCode, log, keyring, lookDb: scrip.db }),
    async addBought(...ofUpstreams) {
      const sku = await shop.addBought(...[...suppliers.keys()].slice(0, ofUpstreams.length));
      for (const [index, plan] of ofUpstreams.entries()) plans.set(planKey(index, sku), plan);
      return sku;
    },
    place: placeIn(shop),
    crash: (killAt, refund) =>
      crash({
        suppliers,
        job: {
          connectionString: scrip.connectionString,
          masterKeyHex: TEST_MASTER_KEY.toString("hex"),
          nowMs: clock.now().getTime(),
          killAt,
          ...(refund ? { refund } : {}),
        },
      }),
    async close() {
      await Promise.all(upstreams.map((upstream) => upstream.close()));
      await shop.close();
    },
  };
}

const planKey = (upstream: number, sku: string): string => `${UPSTREAMS[upstream]} ${sku}`;

const openUpstream = (index: number, plans: ReadonlyMap<string, Plan>): Promise<FakeUpstream> =>
  startFakeUpstream({
    seed: index,
    faults: ({ sku }) => {
      const plan = plans.get(planKey(index, sku));
      if (!plan) throw new Error(`no plan for ${planKey(index, sku)}`);
      return plan;
    },
  });

/** The upstreams as suppliers of the shop, in the same order. */
async function addSuppliers(
  { scrip, clock }: Shop,
  keyring: Keyring,
  upstreams: readonly FakeUpstream[],
): Promise<Map<string, RemoteSupplier>> {
  const suppliers = new Map<string, RemoteSupplier>();
  for (const [index, { baseUrl, apiKey }] of upstreams.entries()) {
    const name = UPSTREAMS[index] ?? "";
    const config = { baseUrl, apiKey };
    const { id } = await addSupplier(
      { db: scrip.db, clock, keyring },
      { kind: "scrip", name, ratePerSecond: RATE_PER_SECOND, config },
    );
    suppliers.set(id, createScripSupplier({ baseUrl, apiKey: secret(apiKey) }));
  }
  return suppliers;
}
