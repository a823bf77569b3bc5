import sql from "sql-template-tag";
import type { By } from "../../server/src/activity/record-activity.ts";
import type { Db } from "../../server/src/db/database.ts";
import { migrate } from "../../server/src/db/migrate.ts";
import { setRate } from "../../server/src/fx/set-rate.ts";
import { systemClock as clock } from "../../server/src/lib/clock.ts";
import { PRICING_DEFAULTS } from "../../server/src/lib/settings/pricing-config.ts";
import { publishPrices } from "../../server/src/pricing/publish-prices.ts";
import {
  type RecomputeDeps,
  type Recomputed,
  recomputeAll,
} from "../../server/src/pricing/recompute-prices.ts";
import { setRule } from "../../server/src/pricing/set-rule.ts";
import { onBenchDatabase } from "../bench-database.ts";
import { postgresMs, processMs } from "../cpu-time.ts";
import { type Row, report } from "../report.ts";

/** BENCH_PRODUCTS=2000 is a short run; its figures are not kept. */
const PRODUCTS = Number(process.env.BENCH_PRODUCTS ?? 100_000);
const LISTS = 20;
const SUPPLIERS = 3;
const MEMORY_EVERY_MS = 100;
const GOAL_SECONDS = 60;
const GOAL_MB = 500;
const BY: By = { actor: { kind: "command", id: "bench" } };

/** CONTRACT 8: 100,000 products in 20 lists are worked out again in under 60 s and 500 MB. */
export const benchPrices = (): Promise<void> =>
  onBenchDatabase(async ({ db }) => {
    console.log(`filling ${PRODUCTS} products, ${LISTS} lists and ${SUPPLIERS} suppliers`);
    await migrate(db);
    await fill(db);
    const deps: RecomputeDeps = { db, clock, settings: PRICING_DEFAULTS.pricing };
    const rows: Row[] = [];
    const measure = async (what: string, run: () => Promise<Recomputed>, goal: boolean) => {
      const { seconds, cpuSeconds, megabytes, done } = await watch(db, run);
      const measured = `${seconds.toFixed(1)} s, of which ${cpuSeconds.toFixed(1)} s of CPU; ${megabytes} MB (${done.publish} published, ${done.propose} proposed)`;
      const met = goal ? seconds < GOAL_SECONDS && megabytes < GOAL_MB : undefined;
      rows.push({ what, measured, goal: goal ? `< ${GOAL_SECONDS} s, < ${GOAL_MB} MB` : "", met });
      console.log(`${what}: ${measured}`);
    };
    await measure("every price is new and proposed", () => recomputeAll(deps), true);
    const started = performance.now();
    const { published } = await publishPrices(db, clock, BY, { upToId: BigInt(Number.MAX_SAFE_INTEGER) });
    const seconds = (performance.now() - started) / 1_000;
    rows.push({
      what: `${published} proposals are published in one transaction`,
      measured: `${seconds.toFixed(1)} s`,
      goal: "",
      met: undefined,
    });
    await measure("nothing has changed", () => recomputeAll(deps), true);
    await setRate(db, clock, BY, { pair: "USD/EUR", rate: "0.9307", until: undefined });
    await measure("a rate moves by 1 %, and prices with it", () => recomputeAll(deps), true);
    if (process.env.BENCH_PRODUCTS === undefined) report("prices", NOTES, rows);
    else for (const row of rows) console.log(`${row.what}: ${row.measured}`);
  });

const NOTES = [
  `${PRODUCTS} products × ${LISTS} lists, half of them in another currency than the costs; ${SUPPLIERS} suppliers, 24 rules`,
  "memory is the resident memory of the process that works prices out, sampled every 100 ms; PostgreSQL runs beside it",
];

async function watch(db: Db, run: () => Promise<Recomputed>) {
  let most = 0;
  const sample = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const timer = setInterval(sample, MEMORY_EVERY_MS);
  const cpuMs = async () => (await postgresMs(db)) + processMs(process.pid);
  const [started, cpuBefore] = [performance.now(), await cpuMs()];
  const done = await run();
  sample();
  clearInterval(timer);
  const cpuSeconds = ((await cpuMs()) - cpuBefore) / 1_000;
  return {
    done,
    cpuSeconds,
    seconds: (performance.now() - started) / 1_000,
    megabytes: Math.round(most / 2 ** 20),
  };
}

async function fill(db: Db): Promise<void> {
  await db.rows(sql`
    insert into products (id, name, face_value_amount, face_value_currency, face_value_unit, face_value_is_money, brand, category,
                          country)
    select 'card-' || lpad(n::text, 6, '0'), 'Card ' || n, (10 + n % 90)::text || '.00', 'USD', 'USD', true,
           'Brand ' || n % 50, 'Category ' || n % 5, (array['DE', 'FR', null])[1 + n % 3]
    from generate_series(1, ${PRODUCTS}) n`);
  await db.rows(sql`
    insert into suppliers (id, kind, name, sealed_config)
    select 'sup_' || n, 'scrip', 'Supplier ' || n, decode('00', 'hex') from generate_series(1, ${SUPPLIERS}) n`);
  await db.rows(sql`
    insert into supplier_routes (product_id, supplier_id, priority, cost_minor, cost_currency, sku)
    select 'card-' || lpad(n::text, 6, '0'), 'sup_' || s, s, (10 + n % 90) * 90 + s, 'USD', 'sku'
    from generate_series(1, ${PRODUCTS}) n, generate_series(1, ${SUPPLIERS}) s`);
  await db.rows(sql`
    insert into resellers (id, name, currency, email, price_list)
    select 'rsl_' || n, 'Reseller ' || n, case when n % 2 = 0 then 'EUR' else 'USD' end, 'a@b.example', 'list-' || n
    from generate_series(1, ${LISTS}) n`);
  await setRate(db, clock, BY, { pair: "USD/EUR", rate: "0.9215", until: undefined });
  const common = { for: "all", on: "all", kind: "over_cost", mayExceedFace: true };
  await setRule(db, clock, BY, { ...common, value: "4.5%", minMargin: "1%" });
  for (let list = 1; list <= LISTS; list += 1)
    await setRule(db, clock, BY, {
      ...common,
      for: `list:list-${list}`,
      on: `brand:Brand ${list}`,
      value: `${list}%`,
      round: "0.05",
    });
  for (const country of ["DE", "FR", "IT"])
    await setRule(db, clock, BY, {
      ...common,
      on: "category:Category 1",
      country,
      kind: "off_face",
      value: "3%",
    });
  await db.rows(sql`analyze`);
}
