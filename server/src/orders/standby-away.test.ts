import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import sql from "sql-template-tag";
import { TEST_MASTER_KEY } from "../../testing/app/test-settings.ts";
import {
  addBuyer,
  addCard,
  type Buyer,
  balanceOf,
  CARD_PRICE_MINOR,
  createPlacementMaker,
  ordersOf,
} from "../../testing/builders/buyers.ts";
import { atEnd, query } from "../../testing/database/embedded-testing.ts";
import type { PostgresNode } from "../../testing/database/postgres-node.ts";
import {
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from "../../testing/database/replicated-postgres.ts";
import { eventually } from "../../testing/eventually.ts";
import { checkServer } from "../db/check-server.ts";
import { connectDatabase, type Db } from "../db/database.ts";
import { errorCodeOf, isDatabaseUnavailable } from "../db/database-errors.ts";
import { migrate } from "../db/migrate.ts";
import { loadServerSecrets } from "../keys/server-secrets.ts";
import { systemClock } from "../lib/clock.ts";
import { secret } from "../lib/secret.ts";
import { createPlacementBatch } from "./placing/placement-batch.ts";

const STATEMENT_TIMEOUT_MS = 1_000;
const WAITING = "from pg_stat_activity where wait_event = 'SyncRep'";

type World = { postgres: ReplicatedPostgres; db: Db; buyer: Buyer; place: PlacementMaker };
type PlacementMaker = Awaited<ReturnType<typeof createPlacementMaker>>;

test("an order that the standby does not have", async (t) => {
  const world = await openWorld(t);
  await t.test("is not requested from the standby: alone in DATABASE_URL it is refused as read-only", () =>
    standbyAlone(t, world),
  );
  await t.test("is not acknowledged, however often it is requested, until the standby has it", () =>
    withoutStandby(world),
  );
  await t.test("is placed on the standby, once, if it is promoted while the order waits", () =>
    promotedTooEarly(world),
  );
});

async function openWorld(t: TestContext): Promise<World> {
  const postgres = await startReplicatedPostgres(t);
  const connect = (statementTimeoutMs: number): Db => {
    const db = connectDatabase({
      connectionString: postgres.connectionString,
      applicationName: "scrip test",
      poolSize: 4,
      statementTimeoutMs,
      onConnectionLost: () => {},
    });
    atEnd(t, db.close);
    return db;
  };
  const patient = connect(0);
  await migrate(patient);
  const secrets = await loadServerSecrets(patient, [secret(TEST_MASTER_KEY)]);
  await addCard(patient);
  const buyer = await addBuyer({ db: patient, clock: systemClock, secrets });
  return {
    postgres,
    db: connect(STATEMENT_TIMEOUT_MS),
    buyer,
    place: await createPlacementMaker(patient),
  };
}

async function standbyAlone(t: TestContext, { postgres }: World): Promise<void> {
  const connectionString = postgres.standby.url;
  const db = connectDatabase({
    connectionString,
    applicationName: "scrip test",
    poolSize: 1,
    onConnectionLost: () => {},
  });
  atEnd(t, db.close);
  await eventually("the standby has the database", () =>
    query(connectionString, "select").catch(() => undefined),
  );
  await assert.rejects(checkServer(db), /the host of DATABASE_URL is a read-only standby; use the primary/);
}

async function withoutStandby({ postgres, db, buyer, place }: World): Promise<void> {
  // The second goes to another process after the first has given up, like a caller that got 503.
  const [first, second] = [place(buyer, "once"), place(buyer, "once")];
  const openBatch = () =>
    createPlacementBatch(db, systemClock, { recoveryTimeoutMs: 500, lockTimeoutMs: 50 });
  const cancelWaits = () => query(postgres.primary.adminUrl, `select pg_cancel_backend(pid) ${WAITING}`);

  await postgres.standby.stop();
  const unanswered = await outcomeOf(openBatch()(first));
  assert.notEqual(unanswered, "placed", "the statement timeout does not end the wait for the standby");

  await eventually("an interrupted wait leaves the order on the primary alone", async () => {
    await cancelWaits();
    return (await ordersAt(postgres.primary)).length === 1 ? true : undefined;
  });
  const again = await whileRepeating(cancelWaits, outcomeOf(openBatch()(second)));
  assert.equal(again, "unavailable", "a replay waits for the standby too");
  const alone = db.rows(sql`insert into suppliers (id, kind, name) values ('sup_alone', 'stock', 'Alone')`);
  assert.equal(await whileRepeating(cancelWaits, alone.catch(errorCodeOf)), "40003");

  await postgres.standby.start();
  await postgres.untilInStep();
  const decision = await openBatch()(second);
  assert.equal(decision.kind, "replayed");
  assert.deepEqual(await ordersAt(postgres.primary), [first.orderId]);
  await eventually("the standby has it", async () =>
    (await ordersAt(postgres.standby)).includes(first.orderId) ? true : undefined,
  );
}

/** The standby stops receiving, a commit waits for it, and then the primary is lost with all its data. */
async function promotedTooEarly({ postgres, db, buyer, place }: World): Promise<void> {
  const deaf = await query<{ pid: number }>(
    postgres.standby.adminUrl,
    "select pid from pg_stat_activity where backend_type = 'walreceiver'",
  );
  for (const { pid } of deaf) process.kill(pid, "SIGSTOP");
  const placement = place(buyer, "promoted too early", 2);
  const placing = createPlacementBatch(db, systemClock)(placement);
  await eventually("the commit is waiting", async () => {
    const waiting = await query(postgres.primary.adminUrl, `select ${WAITING}`);
    return waiting.length > 0 ? true : undefined;
  });
  await postgres.primary.kill();
  // It ends before it has read what reached its machine.
  for (const { pid } of deaf) for (const signal of ["SIGTERM", "SIGCONT"]) process.kill(pid, signal);
  await postgres.standby.promote();

  assert.equal((await placing).kind, "placed");
  const orders = await ordersOf(db, buyer);
  assert.deepEqual(
    orders.map(({ idempotencyKey }) => idempotencyKey),
    ["once", "promoted too early"],
  );
  assert.equal(orders[1]?.id, placement.orderId);
  assert.equal(await balanceOf(db, buyer), FUNDS_MINOR - 3 * CARD_PRICE_MINOR);
}

const FUNDS_MINOR = 100_000;

const ordersAt = async (node: PostgresNode): Promise<string[]> =>
  (await query<{ id: string }>(node.url, "select id from orders")).map(({ id }) => id);

/** Repeats a step until the work has ended, and returns the result of the work. */
async function whileRepeating<T>(step: () => Promise<unknown>, work: Promise<T>): Promise<T> {
  let ended = false;
  const ending = work.finally(() => {
    ended = true;
  });
  await eventually("the work ends", async () => (ended ? true : void (await step())));
  return ending;
}

const outcomeOf = (submitted: Promise<{ kind: string }>): Promise<string> =>
  submitted.then(
    ({ kind }) => kind,
    (error) => {
      if (!isDatabaseUnavailable(error)) throw error;
      return "unavailable";
    },
  );
