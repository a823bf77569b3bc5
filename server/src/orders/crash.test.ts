import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import sql, { type Sql } from "sql-template-tag";
import { TEST_MASTER_KEY } from "../../testing/app/test-settings.ts";
import {
  addBuyer,
  addCard,
  type Buyer,
  balanceOf,
  CARD_PRICE_MINOR,
  ordersOf,
} from "../../testing/builders/buyers.ts";
import {
  type StubbornCallers,
  startStubbornCallers,
  type WantedOrder,
} from "../../testing/crash/stubborn-callers.ts";
import { atEnd, postmasterPid } from "../../testing/database/embedded-testing.ts";
import { makeSeededDataDir } from "../../testing/database/seed-cluster.ts";
import { eventually } from "../../testing/eventually.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { type ApiProcess, startApiProcess } from "../../testing/processes/start-api-process.ts";
import { createRandom, type Random, SEED } from "../../testing/seed.ts";
import { audit } from "../audit/audit.ts";
import { connectDatabase, type Db } from "../db/database.ts";
import { openEmbedded } from "../db/embedded/open-embedded.ts";
import { migrate } from "../db/migrate.ts";
import { loadServerSecrets } from "../keys/server-secrets.ts";
import { systemClock } from "../lib/clock.ts";
import { secret } from "../lib/secret.ts";

const API_PROCESSES = 2;
const CALLERS = sizeFor("chaos", { share: 12, full: 24 });
const CONNECTIONS = 64;
const ANSWERS_BETWEEN_FAULTS_MAX = sizeFor("chaos", { share: 60, full: 150 });
/** After a fault, this many responses show that the service is back. */
const ANSWERS_TO_BE_BACK = sizeFor("chaos", { share: 20, full: 50 });
/** A fault occurs anywhere in a batch, not always at its end. */
const MOMENT_MAX_MS = 20;

/** Funds in major units: the first wallet is the hot one, the last runs dry. */
const FUNDS = [...Array<string>(4).fill("1000000.00"), sizeFor("chaos", { share: "20.00", full: "900.00" })];

const FAULTS = {
  "kill -9 of an API process": killApi,
  "kill -9 of PostgreSQL": killPostmaster,
  "kill -9 of a backend": killBackend,
  "termination of a backend": terminateBackend,
};
type FaultName = keyof typeof FAULTS;
type World = { dataDir: string; connectionString: string; db: Db; apis: ApiProcess[]; random: Random };

const TIMES: Record<FaultName, number> = sizeFor("chaos", {
  share: {
    "kill -9 of an API process": 1,
    "kill -9 of PostgreSQL": 1,
    "kill -9 of a backend": 1,
    "termination of a backend": 1,
  },
  full: {
    "kill -9 of an API process": 7,
    "kill -9 of PostgreSQL": 5,
    "kill -9 of a backend": 4,
    "termination of a backend": 4,
  },
});
const SCHEDULE = (Object.keys(FAULTS) as FaultName[]).flatMap((name) =>
  Array<FaultName>(TIMES[name]).fill(name),
);

test(`${SCHEDULE.length} crashes under load lose and duplicate nothing (SEED=${SEED})`, async (t) => {
  const dataDir = await makeSeededDataDir(t);
  const server = await openEmbedded({ dataDir, log: () => {} });
  atEnd(t, server.close);
  const db = connectDatabase({
    connectionString: server.connectionString,
    applicationName: "scrip crash test",
    poolSize: 2,
    onConnectionLost: () => {},
  });
  atEnd(t, db.close);
  const buyers = await fill(db);
  const random = createRandom(SEED);
  const apis: ApiProcess[] = [];
  atEnd(t, () => Promise.all(apis.map((api) => api.kill())));
  for (let count = 0; count < API_PROCESSES; count += 1) {
    apis.push(await startApiProcess(server.connectionString, CONNECTIONS));
  }

  const callers = startStubbornCallers({ apis, buyers, callers: CALLERS, seed: SEED });
  atEnd(t, callers.abandon);
  const world: World = { dataDir, connectionString: server.connectionString, db, apis, random };
  for (const name of shuffle(SCHEDULE, random)) {
    await answers(callers, 1 + random.below(ANSWERS_BETWEEN_FAULTS_MAX), `before ${name}`);
    await delay(random.below(MOMENT_MAX_MS));
    await FAULTS[name](world);
    await answers(callers, ANSWERS_TO_BE_BACK, `after ${name}`);
    await Promise.all(apis.map((api) => serves(api, buyers, `after ${name}`)));
  }
  const wanted = await callers.stop();

  assert.deepEqual(callers.contradictions(), []);
  assert.ok(callers.lost() > SCHEDULE.length, "the faults had an effect");
  await assertNothingLostOrDoubled(db, buyers, wanted);
  t.diagnostic(
    `${wanted.length} orders, ${callers.answered()} responses, ${callers.lost()} attempts without one`,
  );
});

async function fill(db: Db): Promise<Buyer[]> {
  await migrate(db);
  const [durability] = await db.rows(
    sql`select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit`,
  );
  assert.deepEqual(durability, { fsync: "on", commit: "on" });
  const secrets = await loadServerSecrets(db, [secret(TEST_MASTER_KEY)]);
  await addCard(db);
  return Promise.all(FUNDS.map((amount) => addBuyer({ db, clock: systemClock, secrets }, amount)));
}

const answers = (callers: StubbornCallers, count: number, when: string): Promise<true> => {
  const target = callers.answered() + count;
  return eventually(`${count} responses ${when} (SEED=${SEED})`, async () =>
    callers.answered() >= target ? true : undefined,
  );
};

/** Each process separately: the callers would be served by any of them. */
const serves = (api: ApiProcess, [buyer]: readonly Buyer[], when: string): Promise<true> =>
  eventually(`each API process serves ${when} (SEED=${SEED})`, async () => {
    const answer = await api.get("/v1/balance", buyer?.key ?? "").catch(() => undefined);
    return answer?.status === 200 ? true : undefined;
  });

/** Fisher and Yates. */
function shuffle<Item>(items: readonly Item[], random: Random): Item[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const chosen = random.below(last + 1);
    [shuffled[last], shuffled[chosen]] = [shuffled[chosen] as Item, shuffled[last] as Item];
  }
  return shuffled;
}

async function killApi({ apis, connectionString, random }: World): Promise<void> {
  const index = random.below(apis.length);
  await apis[index]?.kill();
  apis[index] = await startApiProcess(connectionString, CONNECTIONS);
}

/** The process that opened the database restarts it on the same port. */
async function killPostmaster({ dataDir }: World): Promise<void> {
  process.kill(await postmasterPid(dataDir), "SIGKILL");
}

/** PostgreSQL terminates every other backend with it and recovers as from a crash. */
async function killBackend(world: World): Promise<void> {
  process.kill(await onBusyBackend(world, sql`pid`), "SIGKILL");
}

async function terminateBackend(world: World): Promise<void> {
  await onBusyBackend(world, sql`case when pg_terminate_backend(pid) then pid end`);
}

/** Runs a query about a backend of an API process that has an open transaction. */
const onBusyBackend = ({ db }: World, question: Sql): Promise<number> =>
  eventually("a backend has a transaction open", async () => {
    const rows = await db
      .rows<{ pid: number | null }>(sql`
        select ${question} as pid from pg_stat_activity
        where application_name = 'scrip node api' and xact_start is not null limit 1`)
      .catch(() => []);
    return rows[0]?.pid ?? undefined;
  });

/** Every caller has its final response, so the stored orders must match the responses exactly. */
async function assertNothingLostOrDoubled(
  db: Db,
  buyers: readonly Buyer[],
  wanted: readonly WantedOrder[],
): Promise<void> {
  for (const [index, buyer] of buyers.entries()) {
    const own = wanted.filter((order) => order.buyer === buyer);
    const told = own.flatMap(({ told: answer, idempotencyKey, quantity }) => {
      if (answer === undefined || answer === "refused") return [];
      assert.equal(answer.totalMinor, quantity * CARD_PRICE_MINOR);
      return [`${answer.id} ${idempotencyKey} ${answer.totalMinor}`];
    });
    const stored = (await ordersOf(db, buyer)).map(
      ({ id, idempotencyKey, totalMinor }) => `${id} ${idempotencyKey} ${totalMinor}`,
    );
    assert.deepEqual(stored, told.sort());
    assert.ok(own.every((order) => order.told !== undefined));
    const spentMinor = own.reduce(
      (sum, { told: answer, quantity }) => sum + (answer === "refused" ? 0 : quantity * CARD_PRICE_MINOR),
      0,
    );
    assert.equal(await balanceOf(db, buyer), Number(FUNDS[index]) * 100 - spentMinor);
  }
  assert.ok(
    wanted.some((order) => order.told === "refused"),
    "the last wallet ran dry",
  );
  const { ok, invariants } = await audit(db);
  assert.ok(ok, JSON.stringify(invariants));
}
