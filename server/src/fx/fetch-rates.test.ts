import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import sql from "sql-template-tag";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { createHandClock } from "../../testing/hand-clock.ts";
import type { By } from "../activity/record-activity.ts";
import { fetchRates, isRatesUrl } from "./fetch-rates.ts";
import { listCurrentRates } from "./queries.ts";
import { REFERENCE_MAX_BYTES } from "./read-ecb.ts";
import { refreshReference } from "./refresh-rates.ts";

const BY: By = { actor: { kind: "command", id: "scrip" } };
const HOUR_MS = 3_600_000;
const daily = (day: string, usd: string): string =>
  `<?xml version="1.0"?><Envelope><Cube><Cube time='${day}'><Cube currency='USD' rate='${usd}'/></Cube></Cube></Envelope>`;

type Page = { status: number; headers?: Record<string, string>; body: string | Buffer } | "silence";
let page: Page;
let asked = 0;
const server = createServer((request, response) => {
  request.resume();
  asked += 1;
  if (page !== "silence") response.writeHead(page.status, page.headers).end(page.body);
});
const clock = createHandClock(new Date("2030-01-15T16:00:00Z"));
let database: TestDatabase;
let url: string;

before(async () => {
  database = await createTestDatabase();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/daily.xml?key=hunter2`;
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await database.drop();
});

const fetchNow = (timeoutMs = 5_000) => fetchRates({ db: database.db, clock, timeoutMs }, BY, url);
/** How often all prices were to be worked out since this was last asked. */
const takeChanges = async (): Promise<number> =>
  (await database.db.rows(sql`delete from price_changes where product_id = '' returning product_id`)).length;
const rates = async () =>
  (await listCurrentRates(database.db)).map(({ rate, at }) => `${rate} ${at.toISOString()}`);

test("the daily file is read from an address, compressed or not; reading it again changes nothing", async () => {
  await takeChanges();
  page = { status: 200, body: daily("2030-01-15", "1.0852") };
  assert.deepEqual(await fetchNow(), { date: "2030-01-15", rates: 1, imported: 1 });
  assert.equal(await takeChanges(), 1);
  page = {
    status: 200,
    headers: { "content-encoding": "gzip" },
    body: gzipSync(daily("2030-01-15", "1.0852")),
  };
  assert.deepEqual(await fetchNow(), { date: "2030-01-15", rates: 1, imported: 0 });
  assert.equal(await takeChanges(), 0, "prices are not worked out again");
  assert.deepEqual(await rates(), ["1.0852 2030-01-15T14:00:00.000Z"]);
  const activity = await database.db.rows(sql`select from activity where action = 'rate.imported'`);
  assert.equal(activity.length, 1);
});

test("any other answer is refused, and changes no rate", async () => {
  const cases: [Page, RegExp][] = [
    [{ status: 404, body: "" }, /answered 404$/],
    [
      { status: 302, headers: { location: "https://example.com/" }, body: "" },
      /302; redirects are not followed/,
    ],
    [{ status: 200, body: "<!doctype html><title>Maintenance</title>" }, /not the XML/],
    [{ status: 200, body: "" }, /not one complete/],
    [{ status: 200, body: " ".repeat(REFERENCE_MAX_BYTES + 1) }, /too_long/],
    [
      {
        status: 200,
        headers: { "content-encoding": "gzip" },
        body: gzipSync(" ".repeat(REFERENCE_MAX_BYTES + 1)),
      },
      /too_long/,
    ],
    [{ status: 200, body: daily("2030-01-18", "1.1") }, /in the future/],
  ];
  for (const [answer, reason] of cases) {
    page = answer;
    await assert.rejects(
      fetchNow(),
      (error: Error) => reason.test(error.message) && !/hunter2/.test(error.message),
    );
  }
  page = "silence";
  await assert.rejects(fetchNow(100), /no answer \(timeout\)/);
  assert.deepEqual(await rates(), ["1.0852 2030-01-15T14:00:00.000Z"]);
  for (const address of ["http://rates.example.com/", "https://u:p@rates.example.com/"])
    await assert.rejects(fetchRates({ db: database.db, clock }, BY, address), /the address (is|must)/);
  assert.deepEqual(["https://h/a", "HTTP://h/a", "daily.xml", "./https"].map(isRatesUrl), [
    true,
    true,
    false,
    false,
  ]);
});

test("workers read the address once an hour, also after a failure", async () => {
  const refresh = () => refreshReference({ db: database.db, clock, ratesUrl: url });
  assert.equal(await refreshReference({ db: database.db, clock, ratesUrl: undefined }), false);
  asked = 0;
  page = { status: 503, body: "" };
  await assert.rejects(refresh(), /answered 503/);
  assert.deepEqual([await refresh(), asked], [false, 1], "the turn is taken");
  clock.advance(HOUR_MS);
  page = { status: 200, body: daily("2030-01-15", "1.09") };
  const turns = await Promise.all([refresh(), refresh(), refresh()]);
  assert.deepEqual([turns.filter(Boolean).length, asked], [1, 2], "one process reads it");
  assert.deepEqual(await rates(), ["1.09 2030-01-15T14:00:00.000Z"]);
});
