import type { Db } from "../server/src/db/database.ts";
import { findNeeds } from "../server/src/reports/find-needs.ts";
import { readOverview } from "../server/src/reports/read-overview.ts";
import { REPORT_BYS, REPORT_NAMES, readReport } from "../server/src/reports/read-report.ts";
import { summariseTenant } from "../server/src/reports/summarise-tenant.ts";
import { onBenchDatabase } from "./bench-database.ts";
import { countHistory } from "./count-history.ts";
import { fillMonth, HOUR_MS, MONTH_HOURS, type Month, prepareMonth } from "./fill-month.ts";
import { fillRollups } from "./fill-rollups.ts";
import { comparePages, openConsolePages, timeInTurns } from "./pages/console-pages.ts";
import { median, type Row, report } from "./report.ts";

/** `BENCH_CONSOLE_ORDERS=200000 npm run bench -- console` is a quick run. */
const ORDERS = Number(process.env.BENCH_CONSOLE_ORDERS ?? 2_000_000);
const FEW_ORDERS = 2_000;
const SIZE = { resellers: 50, products: 1_000, suppliers: 5 };
const RUNS = 20;
const REPORT_MAX_MS = 1_000;
const GROWTH_MAX = 1.5;

/** How many orders are counted as an upgrade counts them. The others are counted at once: that takes a fraction of the time. */
const COUNTED_ORDERS = 20_000;

/** What is measured on the filled month. Each part gives rows of the table. */
const PARTS: readonly ((db: Db, month: Month) => Promise<Row[]>)[] = [measureReports, measureOverview];

/** Nothing that is written is measured, so the fill need not survive a crash. */
const SETTINGS = { fsync: "off", max_wal_size: "8GB", checkpoint_timeout: "30min" };

/** Pages of the console, and the dashboard's home, with a month of orders. */
export const benchConsole = (): Promise<void> =>
  onBenchDatabase((many) => onBenchDatabase((few) => measure(many.db, few.db), SETTINGS), SETTINGS);

async function measure(db: Db, fewDb: Db): Promise<void> {
  const month = await prepareMonth(db, SIZE);
  await fillMonth(db, month, FEW_ORDERS, "A");
  await countHistory(db);
  const rows = [await measureCounting(db, month)];
  await fillMonth(db, month, ORDERS - FEW_ORDERS - COUNTED_ORDERS, "C");
  await fillRollups(db);
  const fewMonth = await prepareMonth(fewDb, SIZE);
  await fillMonth(fewDb, fewMonth, FEW_ORDERS, "A");
  await countHistory(fewDb);
  for (const part of PARTS) rows.push(...(await part(db, month)));
  const pages = await openConsolePages(db, month);
  const fewPages = await openConsolePages(fewDb, fewMonth);
  rows.push(...(await comparePages(pages, fewPages, FEW_ORDERS)));
  await pages.close();
  await fewPages.close();
  const [home, homeOfFew] = await timeInTurns(
    () => timeHome(db, month),
    () => timeHome(fewDb, fewMonth),
  );
  rows.push({
    what: `dashboard's home, 30 days of one of ${SIZE.resellers} resellers, against ${FEW_ORDERS} orders there`,
    measured: `${(home / homeOfFew).toFixed(2)}× (${home.toFixed(1)} against ${homeOfFew.toFixed(1)} ms)`,
    ...{ goal: `≤ ${GROWTH_MAX}×`, met: home / homeOfFew <= GROWTH_MAX },
  });
  report("console", NOTES, rows);
}

async function measureCounting(db: Db, month: Month): Promise<Row> {
  await fillMonth(db, month, COUNTED_ORDERS, "B");
  const startedAt = performance.now();
  await countHistory(db);
  const perSecond = COUNTED_ORDERS / ((performance.now() - startedAt) / 1_000);
  return {
    what: `counting ${COUNTED_ORDERS} orders from before an upgrade`,
    ...{ measured: `${Math.round(perSecond)} orders/s`, goal: "", met: undefined },
  };
}

const NOTES = [
  `${ORDERS} completed orders of two lines in 30 days: ${SIZE.resellers} resellers, ${SIZE.products} products of which few sell much, ${SIZE.suppliers} suppliers`,
  `reports, overview and home are read in one process, without HTTP and rendering; reports and overview ${RUNS} times, medians`,
  "pages of the console come over HTTP from a console in the same process; pages and home are read in turns with those of a database with few orders; lower quartiles, because others use the machine too",
];

async function measureReports(db: Db, { first }: Month): Promise<Row[]> {
  const rows: Row[] = [];
  for (const name of REPORT_NAMES)
    for (const by of REPORT_BYS) {
      const scope = {
        environment: "live",
        by,
        from: dayOf(first),
        to: new Date(Date.now() + HOUR_MS),
      } as const;
      const { p50, length } = await timed(async () => (await readReport(db, name, scope)).rows.length);
      rows.push({
        what: `report ${name} of the month by ${by}, ${length} rows`,
        ...{ measured: `${p50.toFixed(0)} ms`, goal: `< ${REPORT_MAX_MS} ms`, met: p50 < REPORT_MAX_MS },
      });
    }
  return rows;
}

async function measureOverview(db: Db, { first }: Month): Promise<Row[]> {
  const now = new Date();
  const { p50 } = await timed(async () => {
    await readOverview(db, "live", { by: "day", from: dayOf(first), to: now }, now);
    await findNeeds(db, "live", now);
    return 0;
  });
  const met = p50 < REPORT_MAX_MS;
  return [
    { what: "overview of 30 days", measured: `${p50.toFixed(0)} ms`, goal: `< ${REPORT_MAX_MS} ms`, met },
  ];
}

async function timeHome(db: Db, { first, resellerIds: [resellerId = ""] }: Month): Promise<number> {
  const startedAt = performance.now();
  await summariseTenant(db, { resellerId, environment: "live" }, dayOf(first), MONTH_HOURS / 24);
  return performance.now() - startedAt;
}

const dayOf = (at: Date): Date => new Date(at.getTime() - (at.getTime() % (24 * HOUR_MS)));

async function timed(read: () => Promise<number>): Promise<{ p50: number; length: number }> {
  let length = await read();
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const startedAt = performance.now();
    length = await read();
    times.push(performance.now() - startedAt);
  }
  return { p50: median(times), length };
}
