import type { Command } from "commander";
import { addSupplier } from "../suppliers/add-supplier.ts";
import { setEnabled } from "../suppliers/enable-supplier.ts";
import { type ListedSupplierRow, listSupplierRows, type SupplierRow } from "../suppliers/queries.ts";
import { removeRoute, setRoute } from "../suppliers/set-route.ts";
import { RATE_PER_SECOND_DEFAULT } from "../suppliers/store-supplier.ts";
import { readSupplierConfig } from "../suppliers/supplier-config.ts";
import { showCost, toRouteView } from "./route-view.ts";
import { supplierStatementCommand } from "./supplier-statement-command.ts";
import { type Options, required, table, text, UsageError, verb } from "./verb.ts";

export function supplierCommands(program: Command): void {
  const supplier = program
    .command("supplier")
    .description("who you buy from, and what it costs; no reseller sees any of it");
  addCommand(supplier);

  verb(
    supplier
      .command("list")
      .description("all suppliers: routes, stock, and whether they are bought from now"),
    async ({ db, clock }) => {
      const now = clock.now();
      return { data: (await listSupplierRows(db, now)).map((row) => toListed(row, now)) };
    },
    ({ data }) =>
      table(
        ["ID", "KIND", "NAME", "ENABLED", "RATE", "ROUTES", "STOCK", "BREAKER"],
        data.map((row) => [
          row.id,
          row.kind,
          row.name,
          row.enabled ? "yes" : "no",
          `${row.ratePerSecond}/s`,
          String(row.routes),
          String(row.stockLevel ?? ""),
          row.breaker.openUntil === undefined ? "closed" : `open until ${row.breaker.openUntil}`,
        ]),
      ),
  );

  enabledCommand(supplier, "enable", "buy from a supplier again");
  enabledCommand(
    supplier,
    "disable",
    "buy nothing more from a supplier; what is under way is followed to its end",
  );
  routeCommand(supplier);
  supplierStatementCommand(supplier);
}

function addCommand(supplier: Command): void {
  verb(
    supplier
      .command("add")
      .description("add a supplier: stock sells codes that you import, scrip buys from another Scrip")
      .requiredOption("--kind <kind>", "stock or scrip")
      .requiredOption("--name <name>", "what you call it")
      .option(
        "--config <file>",
        'for scrip: a JSON file {"baseUrl": "https://…", "apiKey": "sc_live_…"}; "allowInsecure": true takes an http address',
      )
      .option("--rate <n>", "purchases per second at most", String(RATE_PER_SECOND_DEFAULT)),
    async (context, options) => {
      const kind = required(options, "kind");
      const file = text(options, "config");
      if (kind !== "stock" && kind !== "scrip")
        throw new UsageError(`--kind is stock or scrip, not "${kind}"`);
      if (kind === "stock" && file !== undefined) throw new UsageError("a stock supplier takes no --config");
      if (kind === "scrip" && file === undefined)
        throw new UsageError("a scrip supplier needs --config FILE");
      const row = await addSupplier(context, {
        kind,
        name: required(options, "name"),
        ratePerSecond: wholeNumber(options, "rate"),
        config: file === undefined ? undefined : await readSupplierConfig(file),
      });
      return { id: row.id, kind: row.kind, name: row.name, createdAt: row.createdAt.toISOString() };
    },
    ({ id, kind, name }) => `added ${id} (${kind}, ${name}); say what it sells: scrip supplier route`,
  );
}

function enabledCommand(supplier: Command, name: "enable" | "disable", description: string): void {
  verb(
    supplier.command(name).description(description).argument("<id>"),
    async ({ db, clock }, _options, [id = ""]) => toView(await setEnabled(db, clock, id, name === "enable")),
    (row) => `${row.id} (${row.name}) is ${row.enabled ? "enabled" : "disabled"}`,
  );
}

function routeCommand(supplier: Command): void {
  verb(
    supplier
      .command("route")
      .description(
        "say that a product is bought from a supplier, or change how; the lowest priority is tried first",
      )
      .requiredOption("--product <id>", "which product")
      .requiredOption("--supplier <id>", "from whom")
      .option("--priority <n>", "the lowest number is tried first")
      .option("--cost <decimal>", "what one unit costs you, such as 8.10")
      .option(
        "--max-cost <decimal>",
        "for scrip: the most that you accept to pay for one unit; else no more than the cost",
      )
      .option("--currency <code>", "of the cost; else the route's own, or the product's face value's")
      .option("--sku <id>", "what the supplier calls the product; else the route's own, or the product's id")
      .option("--remove", "no longer buy it there"),
    async ({ db, clock }, options) => {
      const key = { productId: required(options, "product"), supplierId: required(options, "supplier") };
      if (options.remove === true) {
        refuseWithRemove(options);
        return { ...toRouteView(await removeRoute(db, clock, key)), removed: true };
      }
      return toRouteView(
        await setRoute(db, clock, {
          ...key,
          priority: wholeNumber(options, "priority"),
          cost: required(options, "cost"),
          currency: text(options, "currency"),
          maxCost: text(options, "maxCost"),
          sku: text(options, "sku"),
        }),
      );
    },
    (route) =>
      "removed" in route
        ? `${route.productId} is no longer bought from ${route.supplierId}`
        : `${route.productId} is bought from ${route.supplierId} as ${route.sku}, priority ${route.priority}, ` +
          `cost ${showCost(route.cost)}` +
          (route.maxCost === undefined ? "" : `, up to ${showCost(route.maxCost)}`),
  );
}

const WITHOUT_REMOVE = [
  ["priority", "priority"],
  ["cost", "cost"],
  ["maxCost", "max-cost"],
  ["currency", "currency"],
  ["sku", "sku"],
] as const;

/** Whoever gives a cost with --remove has something else in mind. */
function refuseWithRemove(options: Options): void {
  for (const [name, flag] of WITHOUT_REMOVE) {
    if (text(options, name) !== undefined) throw new UsageError(`--remove goes without --${flag}`);
  }
}

function wholeNumber(options: Options, name: string): number {
  const value = required(options, name);
  if (!/^\d{1,9}$/.test(value)) throw new UsageError(`--${name} takes a whole number, not "${value}"`);
  return Number(value);
}

const toView = ({ createdAt, ...row }: SupplierRow) => ({ ...row, createdAt: createdAt.toISOString() });

const toListed = (row: ListedSupplierRow, now: Date) => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  enabled: row.enabled,
  ratePerSecond: row.ratePerSecond,
  routes: row.routes,
  ...(row.stockLevel === null ? {} : { stockLevel: row.stockLevel }),
  breaker: toBreaker(row, now),
  createdAt: row.createdAt.toISOString(),
});

type Breaker = { state: "closed" | "open"; openUntil?: string; consecutiveFailures: number };

function toBreaker({ openUntil, consecutiveFailures }: ListedSupplierRow, now: Date): Breaker {
  return openUntil !== null && openUntil > now
    ? { state: "open", openUntil: openUntil.toISOString(), consecutiveFailures }
    : { state: "closed", consecutiveFailures };
}
