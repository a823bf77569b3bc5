import { writeFileSync } from "node:fs";
import { join } from "node:path";
import sql from "sql-template-tag";
import type { Db } from "../server/src/db/database.ts";
import { migrate } from "../server/src/db/migrate.ts";
import { createKey } from "../server/src/keys/create-key.ts";
import { loadServerSecrets } from "../server/src/keys/server-secrets.ts";
import { systemClock } from "../server/src/lib/clock.ts";
import { createReseller } from "../server/src/resellers/create-reseller.ts";
import { openKeyring } from "../server/src/vault/keyring.ts";
import { eventually } from "../server/testing/eventually.ts";
import { onBenchDatabase } from "./bench-database.ts";
import { applyLoad, loadProgram } from "./load.ts";
import { type Running, startProcess } from "./processes.ts";
import { median, type Row, report } from "./report.ts";

const PRODUCTS = 100_000;
const RESELLERS = 10;
const CONNECTIONS = 64;
const ROUNDS = 3;
const ROUND_SECONDS = 6;
const RENDERS = 200;
const PAGE = 100;
const PRICED_WITHIN_MS = 300_000;
const LOOK_EVERY_MS = 250;
const RATIO_GOAL = process.arch === "arm64" ? 0.85 : 0.65;

/** `GET /v1/catalog` against the least that a Fastify server can do, near and far pages, and memory. */
export const benchCatalog = (): Promise<void> =>
  onBenchDatabase(async ({ db, dataDir }) => {
    console.log(`filling ${PRODUCTS} products and ${RESELLERS} resellers`);
    const keys = await fill(db, dataDir);
    const environment = {
      DATA_DIR: dataDir,
      PORT: "0",
      METRICS_PORT: "0",
      CONSOLE_PORT: "0",
      LOG_LEVEL: "warn",
      RATE_LIMIT_READS: "0",
    };
    const scrip = await startProcess(SCRIP, ["start"], environment);
    try {
      await untilPriced(db);
      const rows = [
        ...(await measureRate(scrip, keys[0] ?? "", dataDir)),
        ...(await measurePages(scrip, db, keys[0] ?? "")),
        await measureFirstFilter(scrip, keys[0] ?? ""),
        await measureMemory(scrip, keys),
      ];
      report("catalog", NOTES, rows);
    } finally {
      await scrip.stop();
    }
  });

const NOTES = [
  `load by ${loadProgram}, ${CONNECTIONS} connections, ${ROUNDS} alternating rounds of ${ROUND_SECONDS} s each; medians`,
  `${PRODUCTS} products, ${RESELLERS} resellers; the rate limit is off and each request is authenticated`,
];

const SCRIP = new URL("../server/src/bin/scrip.ts", import.meta.url).pathname;

async function fill(db: Db, dataDir: string): Promise<string[]> {
  await migrate(db);
  const secrets = await loadServerSecrets(db, (await openKeyring([], dataDir)).masterKeys());
  await db.rows(sql`
    insert into products (id, name, face_value_amount, face_value_currency, face_value_unit, face_value_is_money, input_fields)
    select 'product-' || lpad(n::text, 7, '0'), 'Benchmark card number ' || n, '25.00', 'USD', 'USD', true,
      case when n % 3 = 0
        then '[{"key":"playerId","type":"text","required":true,"regex":"^[0-9]{5,12}$","options":[]}]'::jsonb
        else '[]'::jsonb end
    from generate_series(1, ${PRODUCTS}) n`);
  await db.rows(sql`
    insert into list_prices (product_id, price_list, currency, amount_minor)
    select id, 'standard', 'USD', 2375 from products`);
  await db.rows(sql`insert into product_supply (product_id, state) select id, 'available' from products`);
  await db.rows(sql`analyze`);
  const keys: string[] = [];
  for (let index = 0; index < RESELLERS; index += 1) {
    const reseller = await createReseller(db, systemClock, {
      name: `Reseller ${index}`,
      currency: "USD",
      email: "owner@reseller.example",
    });
    const input = {
      resellerId: reseller.id,
      environment: "live" as const,
      name: "",
      scopes: undefined,
      allowedIps: [],
      expiresAt: undefined,
    };
    keys.push((await createKey({ db, clock: systemClock, pepper: secrets.pepper }, input)).key);
  }
  return keys;
}

/** The process works out the prices of what it was filled with once, which is not what is measured here. */
const untilPriced = (db: Db) =>
  eventually(
    "all prices are worked out",
    async () => ((await db.rows(sql`select from price_changes limit 1`)).length === 0 ? true : undefined),
    { deadlineMs: PRICED_WITHIN_MS, everyMs: LOOK_EVERY_MS },
  );

/** Both servers stand; the load goes to one and then to the other, so that the machine's moods meet both. */
async function measureRate(scrip: Running, key: string, dataDir: string): Promise<Row[]> {
  const path = "/v1/catalog?limit=50";
  const sample = await fetch(scrip.url + path, { headers: { "x-api-key": key } });
  const file = join(dataDir, "page.json");
  writeFileSync(file, await sample.text());
  const bare = await startProcess(new URL("./servers/bare-server.ts", import.meta.url).pathname, [file], {});
  const etag = sample.headers.get("etag") ?? "";
  const rates: { ours: number; bare: number; unchanged: number; p99Ms: number }[] = [];
  try {
    const load = { headers: { "x-api-key": key }, connections: CONNECTIONS };
    for (const server of [scrip, bare]) await applyLoad({ ...load, url: server.url + path, seconds: 2 });
    for (let round = 0; round < ROUNDS; round += 1) {
      const theirs = await applyLoad({ ...load, url: bare.url + path, seconds: ROUND_SECONDS });
      const ours = await applyLoad({ ...load, url: scrip.url + path, seconds: ROUND_SECONDS });
      const headers = { ...load.headers, "if-none-match": etag };
      const again = await applyLoad({ ...load, headers, url: scrip.url + path, seconds: ROUND_SECONDS });
      rates.push({
        ours: ours.requestsPerSecond,
        bare: theirs.requestsPerSecond,
        unchanged: again.requestsPerSecond,
        p99Ms: ours.p99Ms,
      });
      console.log(
        `round ${round + 1}: bare ${Math.round(theirs.requestsPerSecond)}/s, catalog ${Math.round(ours.requestsPerSecond)}/s`,
      );
    }
  } finally {
    await bare.stop();
  }
  const ratio = median(rates.map((rate) => rate.ours / rate.bare));
  const unchanged = median(rates.map((rate) => rate.unchanged / rate.bare));
  return [
    {
      what: "bare Fastify route, same bytes",
      measured: `${Math.round(median(rates.map((rate) => rate.bare)))} requests/s`,
      goal: "",
      met: undefined,
    },
    {
      what: "`GET /v1/catalog?limit=50`",
      measured: `${Math.round(median(rates.map((rate) => rate.ours)))} requests/s, p99 ${median(rates.map((rate) => rate.p99Ms)).toFixed(1)} ms`,
      goal: "",
      met: undefined,
    },
    {
      what: "ratio of the two",
      measured: ratio.toFixed(2),
      goal: `≥ ${RATIO_GOAL}`,
      met: ratio >= RATIO_GOAL,
    },
    {
      what: "the same with `If-None-Match`, 304, against the bare route",
      measured: unchanged.toFixed(2),
      goal: "≥ 0.8",
      met: unchanged >= 0.8,
    },
  ];
}

/** The process fills its index of products for it. */
async function measureFirstFilter(scrip: Running, key: string): Promise<Row> {
  const began = performance.now();
  const reply = await fetch(`${scrip.url}/v1/catalog?q=${PRODUCTS - 1}`, { headers: { "x-api-key": key } });
  const { data } = (await reply.json()) as { data: unknown[] };
  if (data.length !== 1) throw new Error(`the first filter found ${data.length} products`);
  return {
    what: "first page with a filter in a process",
    measured: `${Math.round(performance.now() - began)} ms`,
    goal: "",
    met: undefined,
  };
}

/** The revision is raised before each request, so that no page comes from memory. */
async function measurePages(scrip: Running, db: Db, key: string): Promise<Row[]> {
  const headers = { "x-api-key": key };
  const lastCursor = await walk(scrip, key);
  const times: { first: number[]; last: number[] } = { first: [], last: [] };
  for (let round = 0; round < RENDERS; round += 1) {
    for (const [which, cursor] of [
      ["first", ""],
      ["last", lastCursor],
    ] as const) {
      await db.rows(sql`update catalog_state set revision = revision + 1`);
      const began = performance.now();
      const reply = await fetch(`${scrip.url}/v1/catalog?limit=${PAGE}&cursor=${cursor}`, { headers });
      await reply.arrayBuffer();
      times[which].push(performance.now() - began);
    }
  }
  const [first, last] = [median(times.first), median(times.last)];
  return [
    {
      what: `first page of ${PAGE}, not in memory`,
      measured: `${first.toFixed(2)} ms`,
      goal: "",
      met: undefined,
    },
    { what: "last page, not in memory", measured: `${last.toFixed(2)} ms`, goal: "", met: undefined },
    {
      what: "last against first",
      measured: `${(last / first).toFixed(2)}×`,
      goal: "≤ 1.3×",
      met: last / first <= 1.3,
    },
  ];
}

/** Walks the whole catalog and returns the cursor of its last page. */
async function walk(scrip: Running, key: string): Promise<string> {
  let cursor = "";
  for (;;) {
    const reply = await fetch(`${scrip.url}/v1/catalog?limit=${PAGE}&cursor=${cursor}`, {
      headers: { "x-api-key": key },
    });
    const page = (await reply.json()) as { hasMore: boolean; nextCursor: string };
    if (!page.hasMore) return cursor;
    cursor = page.nextCursor;
  }
}

async function measureMemory(scrip: Running, keys: readonly string[]): Promise<Row> {
  for (const key of keys) await walk(scrip, key);
  const residentMb = scrip.residentMb();
  return {
    what: "memory after every reseller has read every page",
    measured: `${residentMb} MB`,
    goal: "< 400 MB",
    met: residentMb < 400,
  };
}
