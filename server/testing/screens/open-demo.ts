import sql from "sql-template-tag";
import { DEMO_EMAIL, DEMO_SEED, type FilledDemo, fillDemo } from "../../src/admin/fill-demo.ts";
import { evaluateAlerts } from "../../src/alerts/evaluate-alerts.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { countFacts } from "../../src/reports/count-facts.ts";
import { createTestApp, type TestApp } from "../app/test-app.ts";
import { openConsoleOn } from "../people/console-desk.ts";
import { signInAs } from "../people/dashboard-visitor.ts";
import { addTrouble, proposeDeposit } from "./add-trouble.ts";
import { serveSections } from "./serve-sections.ts";

/** The demo on a database of its own, and someone who is signed in to its dashboard as an owner. */
export type OpenDemo = {
  scrip: TestApp;
  demo: FilledDemo;
  url: string;
  cookie: { name: string; value: string };
  /** A live order with several units of which one was refunded. */
  orderId: string;
  /** The operator's console on the same database, and someone of its staff. */
  console: { url: string; cookie: { name: string; value: string } };
  close(): Promise<void>;
};

/** A working afternoon. With the seed of every demo it makes the same history every time; only ids differ. */
const NOW = new Date("2026-05-14T15:20:00Z");

export async function openDemo(): Promise<OpenDemo> {
  const clock: Clock = { now: () => NOW };
  const scrip = await createTestApp({ clock });
  const demo = await fillDemo(scrip, {
    seed: DEMO_SEED,
    keyring: scrip.keyring,
    baseUrl: "https://api.scrip.example",
  });
  const site = await serveSections(scrip);
  const { cookie } = await signInAs(scrip, demo.resellers[0].id, "owner", DEMO_EMAIL);
  const [order] = await scrip.db.rows<{ id: string }>(sql`
    select o.id from orders o join order_lines l on l.order_id = o.id
    where o.reseller_id = ${demo.resellers[0].id} and o.status = 'completed'
    group by o.id having sum(l.refunded_quantity) = 1 and sum(l.fulfilled_quantity) >= 1
    order by count(*) desc, sum(l.quantity) desc, o.id desc limit 1`);
  const console = await openConsole(scrip);
  return {
    scrip,
    demo,
    url: site.url,
    cookie: { name: "scrip", value: cookie },
    orderId: order?.id ?? "",
    console,
    async close() {
      await console.close();
      await site.close();
      await scrip.close();
    },
  };
}

/** The console with everything counted, some trouble in the demo, and an admin who is signed in. */
async function openConsole(scrip: TestApp) {
  await addTrouble(scrip);
  while (await countFacts(scrip));
  const desk = await openConsoleOn(scrip, { url: "http://127.0.0.1", dualControlAbove: "1000" });
  const url = await desk.console.listen({ host: "127.0.0.1", port: 0 });
  const admin = await desk.enter("admin");
  await proposeDeposit(scrip, (await desk.enter("finance")).accountId);
  await evaluateAlerts({ ...scrip, consoleUrl: url });
  const cookie = { name: "scrip-console", value: admin.cookie };
  return { url, cookie, close: () => desk.console.close() };
}
