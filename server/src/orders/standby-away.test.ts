import assert from "node:assert/strict";
import { test } from "node:test";
import sql from "sql-template-tag";
import { connectDatabase, type Db, errorCodeOf, isDatabaseUnavailable } from "../db/database.ts";
import { atEnd, query } from "../db/embedded/embedded-testing.ts";
import { migrate } from "../db/migrate.ts";
import { loadServerSecrets } from "../keys/server-secrets.ts";
import { systemClock } from "../lib/clock.ts";
import { secret } from "../lib/secret.ts";
import { addBuyer, addCard, createPlacementMaker, ordersOf } from "../testing/buyers.ts";
import { eventually } from "../testing/eventually.ts";
import { startReplicatedPostgres } from "../testing/replicated-postgres.ts";
import { TEST_MASTER_KEY } from "../testing/test-app.ts";
import { createPlacementBatch } from "./placement-batch.ts";

const STATEMENT_TIMEOUT_MS = 200;
const WAITING = "from pg_stat_activity where wait_event = 'SyncRep'";

test("what the standby does not have is not acknowledged, however often it is asked for, until the standby has it", async (t) => {
  const postgres = await startReplicatedPostgres(t);
  const connect = (statementTimeoutMs?: number): Db => {
    const { connectionString } = postgres;
    const settings = {
      connectionString,
      applicationName: "scrip test",
      poolSize: 4,
      onConnectionLost: () => {},
    };
    const db = connectDatabase({
      ...settings,
      ...(statementTimeoutMs === undefined ? {} : { statementTimeoutMs }),
    });
    atEnd(t, db.close);
    return db;
  };
  const buyer = await fill(connect());
  const db = connect(STATEMENT_TIMEOUT_MS);
  const place = await createPlacementMaker(db);
  // The second asks another process after the first has given up, as a caller does that got 503.
  const [first, second] = [place(buyer, "once"), place(buyer, "once")];
  const openBatch = () =>
    createPlacementBatch(db, systemClock, { recoveryTimeoutMs: 500, lockTimeoutMs: 50 });
  const cancelWaits = () => query(postgres.primary.adminUrl, `select pg_cancel_backend(pid) ${WAITING}`);

  await postgres.standby.stop();
  const unanswered = await outcomeOf(openBatch()(first));
  assert.notEqual(unanswered, "placed", "the limit of a statement does not end the wait for the standby");

  const stored = () => query<{ id: string }>(postgres.primary.url, "select id from orders");
  await eventually("a wait that was cut short leaves the order on the primary alone", async () => {
    await cancelWaits();
    return (await stored()).length === 1 ? true : undefined;
  });
  const again = await whileRepeating(cancelWaits, outcomeOf(openBatch()(second)));
  assert.equal(again, "unavailable", "a replay waits for the standby too, and is not told before");
  const alone = db.rows(sql`insert into suppliers (id, kind, name) values ('sup_alone', 'stock', 'Alone')`);
  assert.equal(await whileRepeating(cancelWaits, alone.catch(errorCodeOf)), "40003");

  await postgres.standby.start();
  await postgres.untilInStep();
  const decision = await openBatch()(second);
  assert.equal(decision.kind, "replayed");
  const [order] = await ordersOf(db, buyer);
  assert.equal(order?.id, first.orderId);
  assert.deepEqual(await query(postgres.standby.url, "select id from orders"), [{ id: first.orderId }]);
});

async function fill(db: Db) {
  await migrate(db);
  const secrets = await loadServerSecrets(db, [secret(TEST_MASTER_KEY)]);
  await addCard(db);
  return addBuyer({ db, clock: systemClock, secrets });
}

/** Does something again and again until the work has ended, and gives what it has come to. */
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
