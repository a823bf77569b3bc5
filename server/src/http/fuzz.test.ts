import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { BROKEN_BYTES, NO_OPERATION } from "../../testing/fuzz/fuzz-request.ts";
import { type FuzzResult, fuzzServer, type SurfaceReport } from "../../testing/fuzz/fuzz-session.ts";
import { SEED } from "../../testing/seed.ts";
import { wideTest } from "../../testing/wide-test.ts";

/** A short run. `npm run fuzz -- --requests 100000` is the long one. */
const API = sizeFor("fuzz", { share: 150, wide: 1_500, full: 1_500 });
const WEB = sizeFor("fuzz", { share: 15, wide: 120, full: 120 });
const RUNS = [
  { surface: "api", requests: API },
  { surface: "web", requests: WEB },
] as const;

let database: TestDatabase;
let result: FuzzResult;

before(async () => {
  database = await createTestDatabase();
  result = await fuzzServer({ ...database, seed: SEED, runs: RUNS });
});

after(() => database.drop());

const reportOf = (surface: SurfaceReport["surface"]): SurfaceReport => {
  const report = result.reports.find((each) => each.surface === surface);
  assert.ok(report);
  return report;
};

for (const { surface, requests } of RUNS)
  test(`${requests} requests to the ${surface} find no broken promise (seed ${SEED})`, () => {
    const told = reportOf(surface).faults.map(
      ({ index, what, message }) =>
        `npm run fuzz -- --surface ${surface} --seed ${SEED} --requests ${requests}, request ${index}: ${message}\n${what}`,
    );
    assert.deepEqual(told, []);
  });

test("afterwards the audit is clean, and the server stops without an error in its log", () => {
  assert.deepEqual(result.faults, []);
});

wideTest("the requests reach every operation, and each one both succeeds and refuses", async () => {
  const { answers } = reportOf("api");
  const operations = [...answers].filter(
    ([operation]) => operation !== NO_OPERATION && operation !== BROKEN_BYTES,
  );
  assert.ok(operations.length > 20, [...answers.keys()].join());
  const without = (statusClass: string) =>
    operations.flatMap(([operation, classes]) => (classes.has(statusClass) ? [] : [operation]));
  assert.deepEqual(without("4xx"), []);
  assert.deepEqual(without("2xx"), []);
});

wideTest("pages of both faces are read, and forms are accepted and refused", async () => {
  const answers = [...reportOf("web").answers];
  const has = (what: RegExp, statusClass: string) =>
    answers.some(([key, classes]) => what.test(key) && classes.has(statusClass));
  for (const face of ["dashboard", "console"]) assert.ok(has(new RegExp(`^${face} GET `), "2xx"), face);
  assert.ok(has(/ POST /, "3xx"), "no form was accepted");
  assert.ok(has(/ POST /, "4xx"), "no form was refused");
});
