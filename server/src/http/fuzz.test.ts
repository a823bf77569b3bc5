import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { NO_OPERATION } from "../../testing/fuzz/fuzz-request.ts";
import { type FuzzResult, fuzzServer } from "../../testing/fuzz/fuzz-session.ts";
import { SEED } from "../../testing/seed.ts";

/** A short run. `npm run fuzz -- --requests 100000` is the long one. */
const REQUESTS = 2_500;

let database: TestDatabase;
let result: FuzzResult;

before(async () => {
  database = await createTestDatabase();
  result = await fuzzServer({ ...database, seed: SEED, requests: REQUESTS });
});

after(() => database.drop());

test(`${REQUESTS} requests generated from /openapi.json find no broken promise (seed ${SEED})`, () => {
  const told = result.faults.map(
    ({ index, what, message }) =>
      `npm run fuzz -- --seed ${SEED} --requests ${REQUESTS} --only ${index}: ${message}\n${what}`,
  );
  assert.deepEqual(told, []);
});

test("the requests reach every operation, and each operation both succeeds and refuses", () => {
  const { answers } = result;
  assert.ok(answers.size > 20, [...answers.keys()].join());
  for (const [operation, classes] of answers) {
    if (operation === NO_OPERATION) continue;
    assert.ok((classes.get("2xx") ?? 0) > 0, `${operation} never succeeded`);
    assert.ok((classes.get("4xx") ?? 0) > 0, `${operation} never refused`);
  }
});
