// `npm run bench` runs every benchmark; `npm run bench -- catalog` one of them.
import { benchCatalog } from "./catalog.ts";
import { benchConsole } from "./console.ts";
import { benchDashboard } from "./dashboard.ts";
import { benchFulfilment } from "./fulfilment.ts";
import { benchMachine } from "./machine/machine.ts";
import { benchOrders } from "./orders.ts";
import { benchPostgres } from "./postgres.ts";
import { benchPrices } from "./prices/prices.ts";
import { summarize } from "./report.ts";
import { benchScale } from "./scale/scale.ts";
import { benchReconcile } from "./suppliers/reconcile.ts";
import { benchWebhooks } from "./webhooks.ts";

const benchmarks: Record<string, () => Promise<void>> = {
  catalog: benchCatalog,
  orders: benchOrders,
  machine: benchMachine,
  postgres: benchPostgres,
  fulfilment: benchFulfilment,
  webhooks: benchWebhooks,
  dashboard: benchDashboard,
  console: benchConsole,
  prices: benchPrices,
  scale: benchScale,
  reconcile: benchReconcile,
};

/** Takes an hour and fifty gigabytes, so it runs only when it is named. */
const ON_DEMAND = ["scale"];
const HELP = `usage: npm run bench -- [NAME...]

Runs every benchmark, or those that are named, and writes the figures to docs/benchmarks.md beside their goals and the figures
before. Use a quiet machine: only ratios within one run can be compared.

  ${Object.keys(benchmarks).join(", ")}

${ON_DEMAND.join(", ")} takes an hour and 50 GB, and runs only when it is named.`;

const chosen = process.argv.slice(2);
if (chosen.includes("--help")) {
  console.log(HELP);
  process.exit(0);
}
const names =
  chosen.length > 0 ? chosen : Object.keys(benchmarks).filter((name) => !ON_DEMAND.includes(name));
for (const name of names) {
  const bench = benchmarks[name];
  if (!bench) {
    console.error(`unknown benchmark ${name}; available: ${Object.keys(benchmarks).join(", ")}`);
    process.exit(2);
  }
  await bench();
}
if (names.length > 1) console.log(`\n${summarize()}`);
