import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { TEST_MASTER_KEY } from "../../testing/app/test-settings.ts";
import { type Buyer, CARD, ordersOf } from "../../testing/builders/buyers.ts";
import { atEnd, makeDataDir, query } from "../../testing/database/embedded-testing.ts";
import {
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from "../../testing/database/replicated-postgres.ts";
import { fillReplicatedShop } from "../../testing/database/replicated-shop.ts";
import { type SwitchProxy, startSwitchProxy } from "../../testing/database/switch-proxy.ts";
import { eventually } from "../../testing/eventually.ts";
import { type RunningScrip, runScrip, startScrip } from "../../testing/processes/run-scrip.ts";
import { wideTest } from "../../testing/wide-test.ts";
import { connectDatabase, type Db } from "../db/database.ts";
import { hostOf } from "../db/hosts.ts";
import { LEASE_MS } from "../db/primary/watch-primary.ts";
import { revokeKey } from "../keys/revoke-key.ts";
import { systemClock } from "../lib/clock.ts";

const FUNDS = ["1000.00", "1000.00"];
const STOCK = 40;
/** What a silent host may cost, counted from the moment when another can take over. */
const SILENT_HOST_MAX_MS = 6_000;
const ANSWER_TIMEOUT_MS = 20_000;
/** A test that hangs leaves no process behind. */
const PROCESS_MAX_MS = 120_000;

type World = { postgres: ReplicatedPostgres; buyer: Buyer; revoked: Buyer; newDb: Db };

wideTest(
  "the primary freezes and the standby is promoted: an order is acknowledged there within seconds",
  async (t) => {
    const { postgres, buyer, newDb } = await openWorld(t);
    const [scrip, stopped] = await Promise.all([
      start(t, postgres.connectionString),
      start(t, postgres.connectionString),
    ]);
    assert.equal((await order(scrip, buyer, "before")).status, 202);
    await postgres.primary.freeze();
    // This process itself stands still meanwhile, and must not take its own silence for the database's.
    stopped.process.kill("SIGSTOP");
    const frozenMs = performance.now();
    const placing = orderUntilPlaced(scrip, buyer, "during");
    await postgres.standby.promote();
    const promotedMs = performance.now();
    await placing;
    const outageMs = Math.round(performance.now() - promotedMs);
    const frozenForMs = Math.round(performance.now() - frozenMs);
    assert.ok(outageMs < SILENT_HOST_MAX_MS, `${outageMs} ms`);

    stopped.process.kill("SIGCONT");
    await orderUntilPlaced(stopped, buyer, "after");
    postgres.primary.thaw();
    for (const each of [scrip, stopped]) assert.equal(await readiness(each), 200);
    const keys = (await ordersOf(newDb, buyer)).map(({ idempotencyKey }) => idempotencyKey);
    assert.deepEqual(keys.sort(), ["after", "before", "during"]);
    t.diagnostic(
      `acknowledged ${outageMs} ms after the promotion, ${frozenForMs} ms after the primary froze`,
    );
  },
);

test("the old primary stays alive without its standby: a key revoked at the new one is refused within the lease", async (t) => {
  const { postgres, buyer, revoked, newDb } = await openWorld(t);
  const [proxy, toOld] = [
    await startSwitchProxy(postgres.primary.url),
    await startSwitchProxy(postgres.primary.url),
  ];
  for (const { close } of [proxy, toOld]) atEnd(t, close);
  const both = postgres.connectionString.replace(
    hostOf(postgres.primary.url),
    hostOf(toOld.connectionString),
  );
  const processes = await Promise.all([start(t, both), start(t, proxy.connectionString)]);
  for (const each of processes) assert.equal(await balanceStatus(each, revoked), 200);

  await postgres.standby.promote();
  proxy.switchTo(postgres.standby.url);
  // At the old one, nothing confirms it: the operator is told soon, and the command does not wait forever.
  const unconfirmed = runScrip(["key", "revoke", buyer.keyId], await environmentOf(t, postgres.primary.url));
  await revokeKey(newDb, systemClock, revoked.keyId);
  const revokedMs = performance.now();
  const lastTakenMs = await Promise.all(processes.map((each) => pollUntilRefused(each, revoked)));
  const lateMs = lastTakenMs.map((ms) => Math.round(ms - revokedMs));
  assert.ok(Math.max(...lateMs) < LEASE_MS, `taken ${lateMs.join(" and ")} ms after its revocation`);

  for (const [index, each] of processes.entries()) {
    assert.equal((await order(each, buyer, `at the new one ${index}`)).status, 202);
    assert.equal(await readiness(each), 200);
    assert.equal(await balanceStatus(each, revoked), 401);
  }
  await eventually("the workers go on at the new one", async () => {
    const rows = await query(postgres.standby.url, "select from orders where status = 'completed'");
    return rows.length === 2 ? true : undefined;
  });
  const { code, stderr } = await unconfirmed;
  assert.match(
    stderr,
    /the database did not confirm the revocation within 8 s, so the key may still be accepted/,
  );
  assert.equal(code, 1);
  t.diagnostic(
    `the last request with the revoked key was taken ${lateMs.join(" and ")} ms after its revocation`,
  );

  await neverBack(postgres, processes[0], toOld);
});

/** The old primary can commit alone and the new one dies: no process goes back, although the old one accepts writes. */
async function neverBack({ primary, standby }: ReplicatedPostgres, direct: RunningScrip, toOld: SwitchProxy) {
  const alone = "set synchronous_commit = local; alter database scrip set synchronous_commit = local";
  await query(primary.adminUrl, alone);
  // A heartbeat that still waits for the standby would hold the row of the next one.
  const beats = "from pg_stat_activity where application_name like '%heartbeat'";
  await query(primary.adminUrl, `select pg_terminate_backend(pid) ${beats}`);
  await standby.kill();
  const before = toOld.connections();
  await eventually("the old one was asked some times", async () => {
    assert.equal(await readiness(direct), 503);
    return toOld.connections() > before + 5 ? true : undefined;
  });
  assert.deepEqual(await query(primary.url, "create table as_a_primary ()"), [], "it takes writes");
}

async function openWorld(t: TestContext): Promise<World> {
  const postgres = await startReplicatedPostgres(t);
  atEnd(t, () => postgres.primary.thaw());
  const connect = (connectionString: string): Db => {
    const db = connectDatabase({
      connectionString,
      applicationName: "scrip test",
      poolSize: 2,
      onConnectionLost: () => {},
    });
    atEnd(t, db.close);
    return db;
  };
  const [buyer, revoked] = await fillReplicatedShop(connect(postgres.primary.url), {
    funds: FUNDS,
    stock: STOCK,
  });
  assert.ok(buyer && revoked);
  return { postgres, buyer, revoked, newDb: connect(postgres.standby.url) };
}

const environmentOf = async (t: TestContext, databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  DATA_DIR: await makeDataDir(t),
  SCRIP_MASTER_KEY: TEST_MASTER_KEY.toString("base64"),
  LOG_LEVEL: "silent",
});

async function start(t: TestContext, databaseUrl: string): Promise<RunningScrip> {
  const running = await startScrip([], await environmentOf(t, databaseUrl), PROCESS_MAX_MS);
  atEnd(t, () => running.stop("SIGKILL"));
  return running;
}

const order = ({ url }: RunningScrip, { key }: Buyer, idempotencyKey: string): Promise<Response> =>
  fetch(`${url}/v1/orders`, {
    method: "POST",
    headers: { "x-api-key": key, "idempotency-key": idempotencyKey, "content-type": "application/json" },
    body: JSON.stringify({ lines: [{ productId: CARD, quantity: 1 }] }),
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });

/** What was cut off on its way is answered with 503, and asked for again under its key. */
const orderUntilPlaced = (scrip: RunningScrip, buyer: Buyer, idempotencyKey: string): Promise<boolean> =>
  eventually("the order is placed", async () =>
    (await order(scrip, buyer, idempotencyKey)).status === 202 ? true : undefined,
  );

const balanceStatus = async ({ url }: RunningScrip, { key }: Buyer): Promise<number> =>
  (
    await fetch(`${url}/v1/balance`, {
      headers: { "x-api-key": key },
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
  ).status;

const readiness = async ({ url }: RunningScrip): Promise<number> =>
  (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })).status;

/** When the last request was sent that the key still opened something for. */
async function pollUntilRefused(scrip: RunningScrip, buyer: Buyer): Promise<number> {
  let lastTakenMs = 0;
  await eventually("the revoked key is refused", async () => {
    const sentMs = performance.now();
    const status = await balanceStatus(scrip, buyer);
    if (status === 200) lastTakenMs = sentMs;
    return status === 401 ? true : undefined;
  });
  return lastTakenMs;
}
