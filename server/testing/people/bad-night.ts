import sql from "sql-template-tag";
import { evaluateAlerts } from "../../src/alerts/evaluate-alerts.ts";
import { holdOrder } from "../../src/fulfilment/operate/hold-order.ts";
import { runNextJob } from "../../src/jobs/run-job.ts";
import { refreshSupply } from "../../src/suppliers/refresh-supply.ts";
import { openJobDeps } from "../builders/job-desk.ts";
import { addEndpoint } from "../builders/webhook-builders.ts";
import { refused } from "../upstream/scripted-supplier.ts";
import { openOrderDesk } from "./order-desk.ts";
import { COMMAND } from "./people-desk.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Longer than the hour after which an unknown outcome is an alert. */
const NIGHT_MS = 61 * MINUTE_MS;

/**
 * The console in the morning of a bad night: a supplier's answers were lost, a product has sold out, an endpoint was disabled,
 * and a refund is on hold. The console reaches the supplier, and everything else runs on demand.
 */
export async function openBadNight(options: { url: string; dualControlAbove: string }) {
  const orders = await openOrderDesk({ supplierName: "Bamboo", ...options });
  const { shop, supplier, worker, bought } = orders;
  const { db } = shop.scrip;
  const { clock } = shop;
  await db.rows(sql`update resellers set name = 'Northwind Games'`);
  await db.rows(sql`update products set name = 'Nimbus 100 USD' where id = ${bought}`);
  const soldOut = await sellOut(orders);
  const endpointId = await loseEndpoint(orders);

  supplier.answers = [refused("out_of_stock")];
  const held = await shop.order([bought, 1]);
  await holdOrder(db, clock, held, true, { ...COMMAND, reason: "asks Bamboo", isFirst: true });
  await worker.drain();
  const unknown = [await orders.unknownOrder(), await orders.unknownOrder(2), await orders.unknownOrder()];
  clock.advance(NIGHT_MS);
  const evaluate = () => evaluateAlerts({ db, clock, consoleUrl: options.url });
  await evaluate();
  const jobDeps = { ...(await openJobDeps(db, clock)), ...shop.scrip };
  return {
    ...{ orders, shop, db, clock, soldOut, endpointId, held, unknown, evaluate },
    /** What a worker would do now: jobs, then orders. */
    async work() {
      while (await runNextJob(jobDeps));
      await worker.drain();
    },
    /** The balance, and what the entries of the ledger add up to. */
    money: () =>
      db.rows<{ balance: bigint; entries: bigint }>(sql`
        select w.balance_minor as balance,
               (select sum(e.amount_minor)::bigint from ledger_entries e
                where e.reseller_id = w.reseller_id and e.environment = w.environment) as entries
        from wallets w where w.environment = 'live'`),
    missedDeliveries: () =>
      db.rows<{ status: string; deliveries: bigint }>(sql`
        select status, count(*) as deliveries from deliveries where endpoint_id = ${endpointId} group by status`),
  };
}

type OrderDesk = Awaited<ReturnType<typeof openOrderDesk>>;

/** A product of the stock whose last codes were sold. */
async function sellOut({ shop, worker }: OrderDesk): Promise<string> {
  const { db, clock } = shop.scrip;
  const productId = await shop.addStocked(2);
  await db.rows(sql`update products set name = 'Steam 25 EUR' where id = ${productId}`);
  await shop.order([productId, 2]);
  await worker.drain();
  await refreshSupply(db, [productId], clock.now());
  return productId;
}

/** The receiver was away for days, and missed the events of the night. */
async function loseEndpoint({ shop }: OrderDesk): Promise<string> {
  const { db, clock } = shop.scrip;
  const id = await addEndpoint(db, { ...shop.buyer, active: false });
  const since = new Date(clock.now().getTime() - 5 * DAY_MS);
  await db.rows(sql`
    update webhook_endpoints set failing_since = ${since}, failures = 40, notified = 'disabled' where id = ${id}`);
  return id;
}
