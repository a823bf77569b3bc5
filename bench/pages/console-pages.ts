import sql from "sql-template-tag";
import type { Db } from "../../server/src/db/database.ts";
import { loadServerSecrets } from "../../server/src/keys/server-secrets.ts";
import { systemClock } from "../../server/src/lib/clock.ts";
import { openJobDeps } from "../../server/testing/builders/job-desk.ts";
import { openConsoleOn } from "../../server/testing/people/console-desk.ts";
import type { Month } from "../fill-month.ts";
import { median, type Row } from "../report.ts";
import { timePage, visitSteadily } from "./visit-pages.ts";

const RUNS = 20;
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
  /** The median of each page, in milliseconds. */
  time(): Promise<ReadonlyMap<string, number>>;
  /** Rows of the table: each page against its time with few orders, and all of them at a steady rate. */
  compare(few: ReadonlyMap<string, number>, fewOrders: number): Promise<Row[]>;
  close(): Promise<void>;
};

/** The console on the filled database, over HTTP, and an admin who is signed in. */
export async function openConsolePages(db: Db, month: Month): Promise<ConsolePages> {
  const deps = await openJobDeps(db, systemClock);
  const secrets = await loadServerSecrets(db, deps.keyring.masterKeys());
  const desk = await openConsoleOn({ ...deps, secrets, clock: systemClock }, { url: "http://127.0.0.1" });
  const url = await desk.console.listen({ host: "127.0.0.1", port: 0 });
  const cookie = `scrip-console=${(await desk.enter("admin")).cookie}`;
  const [order] = await db.rows<{ id: string }>(sql`select id from orders order by id limit 1`);
  const paths = pathsOf(month, order?.id ?? "");
  const timeAll = async (): Promise<ReadonlyMap<string, number>> => {
    const times = new Map<string, number>();
    for (const path of paths) {
      await timePage(url + path, cookie);
      const all: number[] = [];
      for (let run = 0; run < RUNS; run += 1) all.push(await timePage(url + path, cookie));
      times.set(path, median(all));
    }
    return times;
  };
  return {
    time: timeAll,
    async compare(few, fewOrders) {
      const many = await timeAll();
      const rows = paths.map((path): Row => {
        const [before = 0, after = 0] = [few.get(path), many.get(path)];
        const shown = path.replace(order?.id ?? "", "{id}").replace(month.resellerIds[0] ?? "", "{reseller}");
        return {
          what: `page ${shown}, against ${fewOrders} orders there`,
          measured: `${(after / before).toFixed(2)}× (${after.toFixed(1)} against ${before.toFixed(1)} ms)`,
          goal: `≤ ${GROWTH_MAX}×`,
          met: after <= Math.max(before * GROWTH_MAX, before + NOISE_MS),
        };
      });
      const steady = await visitSteadily(
        paths.map((path) => url + path),
        cookie,
        { perSecond: PER_SECOND, seconds: SECONDS },
      );
      const p95 = steady.toSorted((a, b) => a - b)[Math.floor(steady.length * 0.95)] ?? 0;
      rows.push({
        what: `p95 of these pages at ${PER_SECOND} requests/s`,
        ...{ measured: `${p95.toFixed(0)} ms`, goal: `< ${P95_MAX_MS} ms`, met: p95 < P95_MAX_MS },
      });
      return rows;
    },
    close: () => desk.console.close(),
  };
}
