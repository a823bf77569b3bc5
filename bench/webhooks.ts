import { execFile } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import sql from "sql-template-tag";
import type { Db } from "../server/src/db/database.ts";
import { migrate } from "../server/src/db/migrate.ts";
import { systemClock } from "../server/src/lib/clock.ts";
import { createReseller } from "../server/src/resellers/create-reseller.ts";
import { openKeyring } from "../server/src/vault/keyring.ts";
import { seal } from "../server/src/vault/seal.ts";
import { DELIVERY_LIMITS } from "../server/src/webhooks/delivery/limits.ts";
import { webhookSecretContext } from "../server/src/webhooks/endpoints/webhook-secret.ts";
import { caCertificatePath } from "../server/testing/receivers/tls-fixture.ts";
import { onBenchDatabase } from "./bench-database.ts";
import { startProcess } from "./processes.ts";
import { median, type Row, report } from "./report.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const ROUND_SECONDS = 8;
const ENDPOINTS = 64;
const DELIVERIES = Number(process.env.BENCH_DELIVERIES ?? 30_000);
const HEALTHY = 200;
const DEAD_WAITING = 100_000;
const PACE_PER_SECOND = 400;
const PACE_TICKS = 20;
const PACE_SECONDS = 10;
const SECRET = "whsec_bench";
const BODY = JSON.stringify({
  id: "evt_01h00000000000000000000000",
  type: "order.fulfilled",
  created_at: "2030-01-01T00:00:00.000Z",
  data: { order_id: "ord_01h00000000000000000000000", status: "fulfilled" },
});

/** Deliveries over HTTPS to receivers that answer in 50 ms, beside a bare loop of the same signed POSTs. */
export const benchWebhooks = (): Promise<void> =>
  onBenchDatabase(async ({ db, dataDir }) => {
    await migrate(db);
    const receiver = await startProcess(
      new URL("./servers/slow-receiver.ts", import.meta.url).pathname,
      [],
      {},
    );
    const url = receiver.url.replace("http:", "https:");
    const worker = await startProcess(
      new URL("../server/src/bin/scrip.ts", import.meta.url).pathname,
      ["start", "--role", "worker"],
      {
        DATA_DIR: dataDir,
        PORT: "0",
        METRICS_PORT: "0",
        CONSOLE_PORT: "0",
        LOG_LEVEL: "warn",
        WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
        NODE_EXTRA_CA_CERTS: caCertificatePath,
      },
    );
    try {
      await fillEndpoints(db, dataDir, url, "busy", ENDPOINTS);
      const bare: number[] = [];
      const ours: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        bare.push(await postBare(url));
        ours.push(await deliver(db, round));
        console.log(
          `round ${round + 1}: bare ${Math.round(bare.at(-1) ?? 0)}/s, delivered ${Math.round(ours.at(-1) ?? 0)}/s`,
        );
      }
      const [rate, ratio] = [median(ours), median(ours) / median(bare)];
      const isolation = await measureIsolation(db, dataDir, url);
      report("webhooks", NOTES, [
        {
          what: "bare loop of signed POSTs",
          measured: `${Math.round(median(bare))}/s`,
          goal: "",
          met: undefined,
        },
        { what: "deliveries", measured: `${Math.round(rate)}/s`, goal: "≥ 1,500/s", met: rate >= 1_500 },
        isolation,
        {
          what: "deliveries against the bare loop",
          measured: `${ratio.toFixed(2)}×`,
          goal: "≥ 0.8×",
          met: ratio >= 0.8,
        },
      ]);
    } finally {
      await worker.stop();
      await receiver.stop();
    }
  });

const NOTES = [
  `one worker process, ${ENDPOINTS} endpoints at one HTTPS receiver that answers after 50 ms; all share the machine; fsync on`,
  `isolation: ${PACE_PER_SECOND} deliveries/s to ${HEALTHY} endpoints for ${PACE_SECONDS} s each time, from an event's writing to the end of its delivery`,
  `each round ${DELIVERIES.toLocaleString("en")} deliveries that are due at once, until all are recorded; beside it ${ROUND_SECONDS} s of a bare loop with the same client and ${DELIVERY_LIMITS.inFlightMax} at once; medians of ${ROUNDS} rounds`,
];

async function fillEndpoints(
  db: Db,
  dataDir: string,
  url: string,
  group: string,
  count: number,
): Promise<void> {
  const keyring = await openKeyring([], dataDir);
  const about = { name: "Bench", currency: "USD", email: "owner@bench.example" };
  const { id } = await createReseller(db, systemClock, about);
  for (let index = 0; index < count; index += 1) {
    const endpointId = `whk_${group}_${index}`;
    const sealed = seal(keyring.masterKeys(), webhookSecretContext(endpointId), Buffer.from(SECRET));
    await db.rows(sql`
      insert into webhook_endpoints (id, reseller_id, environment, url, created_at, updated_at)
      values (${endpointId}, ${id}, 'live', ${`${url}/hook/${index}`}, now(), now())`);
    await db.rows(sql`
      insert into webhook_secrets (endpoint_id, sealed, created_at) values (${endpointId}, ${sealed}, now())`);
  }
}

/** The same pace of events at 200 healthy endpoints, without and with one that hangs and has 100,000 waiting. */
async function measureIsolation(db: Db, dataDir: string, url: string): Promise<Row> {
  await fillEndpoints(db, dataDir, url, "calm", HEALTHY);
  await pace(db, "warm-up");
  const alone = await pace(db, "alone");
  const dead = createServer((socket) => void socket.resume()).listen(0, "127.0.0.1");
  await once(dead, "listening");
  const { port } = dead.address() as AddressInfo;
  await fillEndpoints(db, dataDir, `https://127.0.0.1:${port}`, "dead", 1);
  await addDue(db, "dead", "dead", 1, DEAD_WAITING);
  await wait(2_000);
  const beside = await pace(db, "beside");
  dead.close();
  const ratio = beside / alone;
  return {
    what: `p99 of ${HEALTHY} healthy endpoints beside a dead one with ${DEAD_WAITING.toLocaleString("en")} waiting, against without it`,
    measured: `${ratio.toFixed(2)}× (${Math.round(beside)} against ${Math.round(alone)} ms)`,
    goal: "≤ 1.2×",
    met: ratio <= 1.2,
  };
}

/** Events at an even pace; the 99th percentile of the time from their writing to their delivery. */
async function pace(db: Db, run: string): Promise<number> {
  const began = performance.now();
  for (let tick = 0; tick < PACE_SECONDS * PACE_TICKS; tick += 1) {
    await addDue(db, `${run}-${tick}`, "calm", HEALTHY, PACE_PER_SECOND / PACE_TICKS);
    await db.rows(sql`select pg_notify('scrip_webhooks', '')`);
    await wait(Math.max(0, began + ((tick + 1) * 1_000) / PACE_TICKS - performance.now()));
  }
  const ofRun = sql`event_id like ${`evt_${run}-%`}`;
  for (;;) {
    const [left] = await db.rows<{ count: bigint }>(
      sql`select count(*) as count from deliveries where status = 'pending' and ${ofRun}`,
    );
    if (left?.count === 0n) break;
    await wait(50);
  }
  const [row] = await db.rows<{ p99: number }>(sql`
    select percentile_cont(0.99) within group (order by extract(epoch from a.at - d.created_at) * 1000 + a.latency_ms)
      ::double precision as p99
    from deliveries d join delivery_attempts a on a.delivery_id = d.id where ${ofRun}`);
  return row?.p99 ?? Number.NaN;
}

const addDue = async (
  db: Db,
  run: string,
  group: string,
  endpoints: number,
  count: number,
): Promise<void> => {
  await db.rows(sql`
    with told as (
      insert into events (id, reseller_id, environment, type, body, created_at)
      select 'evt_' || ${run}::text || '-' || n, (select reseller_id from webhook_endpoints where id = ${`whk_${group}_0`}), 'live',
             'webhook.test', ${BODY}, now()
      from generate_series(1, ${count}::integer) n
      returning id
    )
    insert into deliveries (id, event_id, endpoint_id, next_attempt_at, created_at)
    select 'dlv_' || id, id, 'whk_' || ${group}::text || '_' || floor(random() * ${endpoints}::integer)::integer,
           clock_timestamp(), clock_timestamp()
    from told`);
};

async function postBare(url: string): Promise<number> {
  const input = {
    url: `${url}/bare`,
    body: BODY,
    secret: SECRET,
    concurrency: DELIVERY_LIMITS.inFlightMax,
    seconds: ROUND_SECONDS,
  };
  const file = new URL("./servers/bare-posts.ts", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [file, JSON.stringify(input)], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: caCertificatePath },
  });
  return (JSON.parse(stdout) as { perSecond: number }).perSecond;
}

async function deliver(db: Db, round: number): Promise<number> {
  await db.rows(sql`
    insert into events (id, reseller_id, environment, type, body, created_at)
    select 'evt_' || ${round}::integer || '_' || lpad(n::text, 20, '0'), (select reseller_id from webhook_endpoints where id = 'whk_busy_0'), 'live', 'webhook.test', ${BODY}, now()
    from generate_series(1, ${DELIVERIES}::integer) n`);
  await db.rows(sql`
    insert into deliveries (id, event_id, endpoint_id, next_attempt_at, created_at)
    select 'dlv_' || id, id, 'whk_busy_' || row_number() over () % ${ENDPOINTS}::integer, now(), now()
    from events where id like ${`evt_${round}\\_%`}`);
  const began = performance.now();
  for (;;) {
    const [left] = await db.rows<{ count: bigint }>(sql`
      select count(*) as count from deliveries where status = 'pending'`);
    if (left?.count === 0n) return DELIVERIES / ((performance.now() - began) / 1_000);
    await wait(50);
  }
}
