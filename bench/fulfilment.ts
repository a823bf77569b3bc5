import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import sql from "sql-template-tag";
import { audit } from "../server/src/audit/audit.ts";
import type { Db } from "../server/src/db/database.ts";
import { loadServerSecrets } from "../server/src/keys/server-secrets.ts";
import { encodeGoods } from "../server/src/suppliers/goods.ts";
import { createCodeDigest } from "../server/src/vault/code-digest.ts";
import { stockPlace } from "../server/src/vault/code-place.ts";
import { createCodeVault } from "../server/src/vault/code-vault.ts";
import { openKeyring } from "../server/src/vault/keyring.ts";
import { newId } from "../server/testing/builders/new-id.ts";
import { onBenchDatabase } from "./bench-database.ts";
import type { CompletionFigures, CompletionInput } from "./order-completions.ts";
import { pgbenchRate } from "./pgbench.ts";
import { startProcess } from "./processes.ts";
import { median, type Row, report } from "./report.ts";
import { fillSellers, type Seller, WALLETS } from "./sellers.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const ROUND_SECONDS = 10;
const UNDER_WAY_MAX = 1_024;
const RATIO_GOAL = process.arch === "arm64" ? 1 : 0.8;
const CODES = Number(process.env.BENCH_CODES ?? 400_000);
const BODY = JSON.stringify({
  lines: [0, 1].map((line) => ({ productId: `card-${line}`, quantity: 1 })),
  reference: "bench",
});

/** Orders placed over HTTP and completed from stock, by an API and a worker that share the machine, beside pgbench. */
export const benchFulfilment = (): Promise<void> =>
  onBenchDatabase(async ({ db, dataDir, connectionString }) => {
    const sellers = await fillSellers(db, dataDir);
    console.log(`filling ${CODES} codes`);
    await fillStock(db, dataDir);
    report("fulfilment", NOTES, await measure(db, dataDir, connectionString, sellers));
  });

const NOTES = [
  "orders of two lines, a unit each, placed over HTTP and completed from stock: codes picked, sealed for their order, settled; fsync on",
  `one API process, one worker process, the callers and PostgreSQL share the machine; ${WALLETS} wallets`,
  `sustained: completed in ${ROUND_SECONDS} s while at most ${UNDER_WAY_MAX} orders are under way; ${ROUNDS} rounds that alternate with pgbench; medians`,
  "latency: from the answer 202 to the end of the order as another connection sees it, looked at every 25 ms",
];

async function fillStock(db: Db, dataDir: string): Promise<void> {
  const keyring = await openKeyring([], dataDir);
  const secrets = await loadServerSecrets(db, keyring.masterKeys());
  const [vault, digest] = [createCodeVault(keyring), createCodeDigest(secrets.codeDigestKey)];
  await db.rows(sql`insert into suppliers (id, kind, name) values ('sup_bench', 'stock', 'Bench')`);
  await db.rows(sql`
    insert into supplier_routes (product_id, supplier_id, priority, cost_minor, cost_currency, sku)
    select id, 'sup_bench', 1, 2000, 'USD', id from products`);
  for (let filled = 0; filled < CODES; filled += 2_000) {
    const codes = Array.from({ length: 2_000 }, (_, index) => {
      const [id, productId, code] = [newId("cod"), `card-${index % 2}`, randomBytes(9).toString("base64url")];
      const sealed = vault.seal(stockPlace(id, productId), encodeGoods({ type: "code", code, pin: "1234" }));
      return { id, productId, sealed, digest: digest(code) };
    });
    await db.rows(sql`
      insert into codes (id, environment, product_id, supplier_id, state, type, sealed, digest)
      select id, 'live', product_id, 'sup_bench', 'stock', 'code', sealed, digest
      from unnest(${codes.map((one) => one.id)}::text[], ${codes.map((one) => one.productId)}::text[],
                  ${codes.map((one) => one.sealed)}::bytea[], ${codes.map((one) => one.digest)}::bytea[])
        as one (id, product_id, sealed, digest)`);
  }
  await db.rows(sql`vacuum analyze codes`);
}

async function measure(
  db: Db,
  dataDir: string,
  connectionString: string,
  sellers: readonly Seller[],
): Promise<Row[]> {
  const environment = {
    DATA_DIR: dataDir,
    PORT: "0",
    METRICS_PORT: "0",
    CONSOLE_PORT: "0",
    LOG_LEVEL: "warn",
    RATE_LIMIT_ORDERS: "0",
  };
  const scrip = new URL("../server/src/bin/scrip.ts", import.meta.url).pathname;
  const api = await startProcess(scrip, ["start", "--role", "api"], environment);
  const worker = await startProcess(scrip, ["start", "--role", "worker"], environment);
  const keys = sellers.map((seller) => seller.key);
  const load = { url: api.url, connectionString, keys, callers: 128, underWayMax: UNDER_WAY_MAX };
  try {
    await place({ ...load, seconds: 3, ordersPerSecond: 0 });
    const pgbench: number[] = [];
    const full: CompletionFigures[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await db.rows(sql`checkpoint`);
      const rate = await pgbenchRate(connectionString, ROUND_SECONDS);
      if (rate !== undefined) pgbench.push(rate);
      full.push(await place({ ...load, seconds: ROUND_SECONDS, ordersPerSecond: 0 }));
      console.log(
        `round ${round + 1}: pgbench ${Math.round(rate ?? 0)}/s, completed ${Math.round(full.at(-1)?.completedPerSecond ?? 0)}/s`,
      );
    }
    const sustained = median(full.map((one) => one.completedPerSecond));
    const half = await place({ ...load, seconds: 2 * ROUND_SECONDS, ordersPerSecond: sustained / 2 });
    const { ok } = await audit(db);
    if (!ok) throw new Error("the audit found a violation");
    return toRows(pgbench.length > 0 ? median(pgbench) : undefined, sustained, full, half);
  } finally {
    await worker.stop();
    await api.stop();
  }
}

async function place(input: Omit<CompletionInput, "body">): Promise<CompletionFigures> {
  const file = new URL("order-completions.ts", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [
    file,
    JSON.stringify({ ...input, body: BODY }),
  ]);
  const figures = JSON.parse(stdout) as CompletionFigures;
  if (figures.refused > 0) throw new Error(`${figures.refused} orders were refused`);
  return figures;
}

function toRows(
  reference: number | undefined,
  sustained: number,
  full: readonly CompletionFigures[],
  half: CompletionFigures,
): Row[] {
  const ratio = reference === undefined ? undefined : sustained / reference;
  return [
    {
      what: "pgbench",
      measured: reference === undefined ? "not on this machine" : `${Math.round(reference)} transactions/s`,
      goal: "",
      met: undefined,
    },
    {
      what: "sustained, end to end",
      measured: `${Math.round(sustained)} orders/s, p99 ${Math.round(median(full.map((one) => one.p99Ms)))} ms`,
      goal: "",
      met: undefined,
    },
    ...(ratio === undefined
      ? []
      : [
          {
            what: "sustained against pgbench",
            measured: `${ratio.toFixed(2)}×`,
            goal: `≥ ${RATIO_GOAL}×`,
            met: ratio >= RATIO_GOAL,
          },
        ]),
    {
      what: `from accepted to completed at half of it (${Math.round(sustained / 2)} orders/s)`,
      measured: `p50 ${Math.round(half.p50Ms)}, p99 ${Math.round(half.p99Ms)} ms`,
      goal: "p99 < 500 ms",
      met: half.p99Ms < 500,
    },
  ];
}
