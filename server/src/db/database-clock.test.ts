import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { createDatabaseClock, startDatabaseClock } from "./database-clock.ts";

const START = Date.parse("2030-01-01T00:00:00Z");
const MINUTE_MS = 60_000;

/** Two machines whose clocks are set by hand, and a counter that runs with real time on the worker's. */
async function openClocks() {
  const world = { realMs: 0, databaseOffMs: 0, systemOffMs: 0, roundTripMs: 2, sleptMs: 0 };
  const time = (offMs: number) => new Date(START + world.realMs + offMs);
  const clock = await createDatabaseClock({
    system: { now: () => time(world.systemOffMs) },
    steadyMs: () => world.realMs - world.sleptMs,
    async read() {
      world.realMs += world.roundTripMs / 2;
      const now = time(world.databaseOffMs);
      world.realMs += world.roundTripMs / 2;
      return now;
    },
  });
  return {
    world,
    clock,
    wrongByMs: () => Math.round(clock.now().getTime() - START - world.realMs),
    /** So much real time passes. The database is asked each second. */
    async pass(ms: number) {
      for (let second = 0; second < ms / 1_000; second += 1) {
        world.realMs += 1_000;
        await clock.look();
      }
    },
  };
}

test("a worker whose own clock leaps goes on with the time of the database", async () => {
  const { world, wrongByMs, pass } = await openClocks();
  for (const leapMs of [MINUTE_MS, -MINUTE_MS, 30 * MINUTE_MS]) {
    world.systemOffMs = leapMs;
    assert.equal(wrongByMs(), 0);
    await pass(3_000);
    assert.equal(wrongByMs(), 0);
  }
});

test("a worker that starts with a wrong clock has the time of the database from the start", async () => {
  const clock = await createDatabaseClock({
    system: { now: () => new Date(START + MINUTE_MS) },
    steadyMs: () => 5_000,
    read: async () => new Date(START),
  });
  assert.equal(clock.now().getTime(), START);
});

test("when the database's clock leaps, 30 s still take at least 27, and the new time is reached", async () => {
  for (const leapMs of [MINUTE_MS, -MINUTE_MS]) {
    const { world, clock, wrongByMs, pass } = await openClocks();
    const before = clock.now().getTime();
    world.databaseOffMs = leapMs;
    await pass(30_000);
    const passedMs = clock.now().getTime() - before;
    assert.ok(passedMs >= 26_900 && passedMs <= 33_200, `${passedMs}`);
    await pass(10 * MINUTE_MS);
    assert.equal(wrongByMs(), leapMs);
  }
});

test("a machine that slept has the right time with the next look", async () => {
  const { world, wrongByMs, pass } = await openClocks();
  world.realMs += MINUTE_MS;
  world.sleptMs = MINUTE_MS;
  assert.equal(wrongByMs(), -MINUTE_MS);
  await pass(1_000);
  assert.equal(wrongByMs(), 0);
});

test("a slow answer says nothing about the time", async () => {
  const { world, wrongByMs, pass } = await openClocks();
  world.databaseOffMs = 50;
  world.roundTripMs = 2_000;
  await pass(3_000);
  assert.equal(wrongByMs(), 0);
});

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

test("the time comes from PostgreSQL, whatever the machine's clock says", async () => {
  const clock = await startDatabaseClock(database.db, { now: () => new Date(START) });
  assert.ok(Math.abs(clock.now().getTime() - Date.now()) < 10 * MINUTE_MS);
  await clock.stop();
});
