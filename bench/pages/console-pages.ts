import sql from "sql-template-tag";
import type { Db } from "../../server/src/db/database.ts";
import { loadServerSecrets } from "../../server/src/keys/server-secrets.ts";
import { systemClock } from "../../server/src/lib/clock.ts";
import { openJobDeps } from "../../server/testing/builders/job-desk.ts";
import { openConsoleOn } from "../../server/testing/people/console-desk.ts";
import type { Month } from "../fill-month.ts";
import { lowerQuartile, type Row } from "../report.ts";
import { timePage, visitSteadily } from "./visit-pages.ts";

const RUNS = 41;
/** FACE 7: a page with many orders against the same page with few. */
const GROWTH_MAX = 1.5;
/** A few milliseconds more are noise of the machine, and nothing that a person notices. */
const NOISE_MS = 3;
const PER_SECOND = 20;
const SECONDS = 15;
const P95_MAX_MS = 50;

/** The lists of the console, and the pages of single objects. */
const pathsOf = ({ resellerIds: [reseller = ""] }: Month, orderId: string): readonly string[] => [
  ...["/orders", "/orders?status=completed", "/orders?status=failed", `/orders?resellerId=${reseller}`],
  ...["/orders?supplierId=sup_1", "/orders?productId=card-900", `/orders?q=${orderId}`, `/orders/${orderId}`],
  ...["/unknown", "/stuck", "/resellers", `/resellers/${reseller}`, "/money", `/money?reseller=${reseller}`],
  ...["/products", "/products/card-1", "/suppliers", "/suppliers/sup_1", "/stock", "/alerts", "/jobs"],
  ...["/activity", "/staff", "/system", `/search?q=${orderId}`, "/search?q=card-900"],
];

export type ConsolePages = {
  /** The pages, with their names in the table. */
  pages: readonly { url: string; name: string }[];
  cookie: string;
  close(): Promise<void>;
};

/** The console on a filled database, over HTTP, and an admin who is signed in. */
export async function openConsolePages(db: Db, month: Month): Promise<ConsolePages> {
  const deps = await openJobDeps(db, systemClock);
  const secrets = await loadServerSecrets(db, deps.keyring.masterKeys());
  const desk = await openConsoleOn({ ...deps, secrets, clock: systemClock }, { url: "http://127.0.0.1" });
  const url = await desk.console.listen({ host: "127.0.0.1", port: 0 });
  const [order] = await db.rows<{ id: string }>(sql`select id from orders order by id limit 1`);
  const pages = pathsOf(month, order?.id ?? "").map((path) => ({
    url: url + path,
    name: path.replace(order?.id ?? "", "{id}").replace(month.resellerIds[0] ?? "", "{reseller}"),
  }));
  const cookie = `scrip-console=${(await desk.enter("admin")).cookie}`;
  return { pages, cookie, close: () => desk.console.close() };
}

/** Each page with many orders against the same page with few, and all of those with many at a steady rate. */
export async function comparePages(many: ConsolePages, few: ConsolePages, fewOrders: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [index, { url, name }] of many.pages.entries()) {
    const [after, before] = await timeInTurns(
      () => timePage(url, many.cookie),
      () => timePage(few.pages[index]?.url ?? "", few.cookie),
    );
    rows.push({
      what: `page ${name}, against ${fewOrders} orders there`,
      measured: `${(after / before).toFixed(2)}× (${after.toFixed(1)} against ${before.toFixed(1)} ms)`,
      goal: `≤ ${GROWTH_MAX}×`,
      met: after <= Math.max(before * GROWTH_MAX, before + NOISE_MS),
    });
  }
  const urls = many.pages.map(({ url }) => url);
  const steady = await visitSteadily(urls, many.cookie, { perSecond: PER_SECOND, seconds: SECONDS });
  const p95 = steady.toSorted((a, b) => a - b)[Math.floor(steady.length * 0.95)] ?? 0;
  rows.push({
    what: `p95 of these pages at ${PER_SECOND} requests/s`,
    ...{ measured: `${p95.toFixed(0)} ms`, goal: `< ${P95_MAX_MS} ms`, met: p95 < P95_MAX_MS },
  });
  return rows;
}

/** Two times in turns, so that whatever else the machine does slows both. Lower quartiles. */
export async function timeInTurns(
  one: () => Promise<number>,
  other: () => Promise<number>,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  await one();
  await other();
  for (let run = 0; run < RUNS; run += 1) {
    times[0].push(await one());
    times[1].push(await other());
  }
  return [lowerQuartile(times[0]), lowerQuartile(times[1])];
}
