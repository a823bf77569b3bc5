import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { NO_OPERATION } from "../../testing/fuzz/fuzz-request.ts";
import { type FuzzResult, fuzzServer } from "../../testing/fuzz/fuzz-session.ts";
import { SEED } from "../../testing/seed.ts";

/** A short run; `npm run fuzz -- --requests 100000` is the long one. */
const REQUESTS = 2_500;

let database: TestDatabase;
let result: FuzzResult;

before(async () => {
  database = await createTestDatabase();
  result = await fuzzServer({ ...database, seed: SEED, requests: REQUESTS });
});

after(() => database.drop());

test(`${REQUESTS} requests made from /openapi.json break nothing that the API promises (seed ${SEED})`, () => {
  const told = result.faults.map(
    ({ index, what, message }) =>
      `npm run fuzz -- --seed ${SEED} --requests ${REQUESTS} --only ${index}: ${message}\n${what}`,
  );
  assert.deepEqual(told, []);
});

test("they reach every operation, and each of them both serves and refuses", () => {
  const { answers } = result;
  assert.ok(answers.size > 20, [...answers.keys()].join());
  for (const [operation, classes] of answers) {
    if (operation === NO_OPERATION) continue;
    assert.ok((classes.get("2xx") ?? 0) > 0, `${operation} never succeeded`);
    assert.ok((classes.get("4xx") ?? 0) > 0, `${operation} never refused`);
  }
});
