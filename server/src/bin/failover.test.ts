import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import sql from "sql-template-tag";
import { TEST_MASTER_KEY } from "../../testing/app/test-settings.ts";
import { type Buyer, balanceOf, CARD_PRICE_MINOR, ordersOf } from "../../testing/builders/buyers.ts";
import { startStubbornCallers, type WantedOrder } from "../../testing/crash/stubborn-callers.ts";
import { atEnd, makeDataDir } from "../../testing/database/embedded-testing.ts";
import {
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from "../../testing/database/replicated-postgres.ts";
import { fillReplicatedShop } from "../../testing/database/replicated-shop.ts";
import { eventually } from "../../testing/eventually.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { type RunningScrip, startScrip } from "../../testing/processes/run-scrip.ts";
import { type TimedApi, timedApi } from "../../testing/processes/timed-api.ts";
import { SEED } from "../../testing/seed.ts";
import { audit } from "../audit/audit.ts";
import { connectDatabase, type Db } from "../db/database.ts";

const ROLES = ["api", "worker"] as const;
const PROCESSES_OF_EACH = sizeFor("chaos", { share: 2, full: 3 });
const CALLERS = sizeFor("chaos", { share: 6, full: 12 });
const FUNDS = ["100000.00", "100000.00", "100000.00", "100000.00"];
const STOCK = sizeFor("chaos", { share: 1_000, wide: 2_000, full: 6_000 });
/** So many orders each process acknowledges before the primary dies, and again to count as back. */
const ACKNOWLEDGED_EACH = sizeFor("chaos", { share: 25, wide: 60, full: 60 });
const OUTAGE_MAX_MS = 30_000;
const READY_TIMEOUT_MS = 20_000;
/** A test that hangs leaves no process behind. */
const PROCESS_MAX_MS = 240_000;

type Processes = { api: RunningScrip[]; worker: RunningScrip[] };

test(`the primary dies under load and the standby takes over: nothing acknowledged is lost (SEED=${SEED})`, async (t) => {
  const postgres = await startReplicatedPostgres(t);
  const db = connectDatabase({
    connectionString: postgres.connectionString,
    applicationName: "scrip test",
    poolSize: 4,
    onConnectionLost: () => {},
  });
  atEnd(t, db.close);
  const buyers = await fillReplicatedShop(db, { funds: FUNDS, stock: STOCK });
  const processes = await startProcesses(t, postgres);

  const apis = processes.api.map(({ url }) => timedApi(url, () => performance.now()));
  const callers = startStubbornCallers({ apis, buyers, callers: CALLERS, seed: SEED });
  atEnd(t, callers.abandon);
  await eachAcknowledges(apis, "before the primary dies");
  await postgres.primary.kill();
  const aloneMs = performance.now();
  await untilNoneIsReady(processes.api);
  await postgres.standby.promote();
  const promotedMs = performance.now();
  await eachAcknowledges(apis, "after the standby was promoted");
  const silences = apis.map((api) => Math.round(api.longestSilenceMs()));
  const wanted = await callers.stop();

  assert.deepEqual(callers.contradictions(), []);
  assert.ok(Math.max(...silences) < OUTAGE_MAX_MS, `silent for ${silences.join(", ")} ms`);
  await everythingEnds(db);
  await assertNothingLostOrDoubled(db, buyers, wanted);
  await assertAllServe(processes);
  t.diagnostic(
    `longest time without an acknowledged order, of each API process: ${silences.join(", ")} ms; promoted after ` +
      `${Math.round(promotedMs - aloneMs)} ms; ${wanted.length} orders, ${callers.lost()} tries without an answer`,
  );
});

/** Real ones, as an operator starts them. Every other one is given the standby first. */
async function startProcesses(t: TestContext, { connectionString }: ReplicatedPostgres): Promise<Processes> {
  const swapped = connectionString.replace(/@([^,]+),([^/]+)\//, "@$2,$1/");
  const dataDir = await makeDataDir(t);
  const start = async (role: string, index: number): Promise<RunningScrip> => {
    const env = {
      DATABASE_URL: index % 2 === 0 ? connectionString : swapped,
      DATA_DIR: dataDir,
      SCRIP_MASTER_KEY: TEST_MASTER_KEY.toString("base64"),
      RATE_LIMIT_ORDERS: "0",
      LOG_LEVEL: "silent",
    };
    const running = await startScrip(["--role", role], env, PROCESS_MAX_MS);
    atEnd(t, () => running.stop("SIGKILL"));
    return running;
  };
  const [api, worker] = await Promise.all(
    ROLES.map((role) =>
      Promise.all(Array.from({ length: PROCESSES_OF_EACH }, (_, index) => start(role, index))),
    ),
  );
  return { api: api ?? [], worker: worker ?? [] };
}

/** One process after the other is waited for, so that a busy machine gets the time that it needs. */
async function eachAcknowledges(apis: readonly TimedApi[], when: string): Promise<void> {
  const waits = apis.map((api) => ({ api, target: api.acknowledged() + ACKNOWLEDGED_EACH }));
  for (const { api, target } of waits) {
    await eventually(`each API process acknowledges orders ${when} (SEED=${SEED})`, async () =>
      api.acknowledged() >= target ? true : undefined,
    );
  }
}

/** What a load balancer sees. A cluster manager is hardly faster. */
async function untilNoneIsReady(apis: readonly RunningScrip[]): Promise<void> {
  for (const { url } of apis) {
    await eventually(`${url} says that it cannot serve (SEED=${SEED})`, async () =>
      (await readiness(url)) === 503 ? true : undefined,
    );
  }
}

const readiness = async (url: string): Promise<number> =>
  (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(READY_TIMEOUT_MS) })).status;

/**
 * What a worker had in its hands when the primary died is due again when its lease has run out, half a minute later. Here it
 * runs out at once; a worker that still has an order finds its token gone.
 */
async function everythingEnds(db: Db): Promise<void> {
  await db.rows(sql`update order_work set due_at = now()`);
  await eventually(`every order ends (SEED=${SEED})`, async () => {
    const left = await db.rows(sql`select from order_work limit 1`);
    return left.length === 0 ? true : undefined;
  });
}

/** Every caller has come to its answer, so what is stored must be what was told, no more and no less. */
async function assertNothingLostOrDoubled(
  db: Db,
  buyers: readonly Buyer[],
  wanted: readonly WantedOrder[],
): Promise<void> {
  for (const [index, buyer] of buyers.entries()) {
    const own = wanted.filter((order) => order.buyer === buyer);
    const told = own.map(({ told: answer, idempotencyKey, quantity }) => {
      assert.ok(answer !== undefined && answer !== "refused", `${idempotencyKey}: ${answer}`);
      assert.equal(answer.totalMinor, quantity * CARD_PRICE_MINOR);
      return `${answer.id} ${idempotencyKey} ${answer.totalMinor}`;
    });
    const stored = await ordersOf(db, buyer);
    assert.deepEqual(
      stored.map(({ id, idempotencyKey, totalMinor }) => `${id} ${idempotencyKey} ${totalMinor}`),
      told.sort(),
    );
    const spentMinor = stored.reduce((sum, { totalMinor }) => sum + Number(totalMinor), 0);
    assert.equal(await balanceOf(db, buyer), Number(FUNDS[index]) * 100 - spentMinor);
  }
  const statuses = await db.rows(sql`select distinct status from orders`);
  assert.deepEqual(statuses, [{ status: "completed" }]);
  const { ok, invariants } = await audit(db);
  assert.ok(ok, JSON.stringify(invariants));
}

async function assertAllServe({ api, worker }: Processes): Promise<void> {
  for (const { url } of [...api, ...worker]) {
    assert.equal(await readiness(url), 200, `${url} is ready`);
  }
}
