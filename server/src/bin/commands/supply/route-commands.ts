import type { Command } from "commander";
import { toMoney } from "../../../lib/money.ts";
import { enableRoute } from "../../../suppliers/overcharges/route-pauses.ts";
import {
  type ListedRouteRow,
  listRouteRows,
  type RouteFilter,
  type RoutePause,
} from "../../../suppliers/route-queries.ts";
import { removeRoute } from "../../../suppliers/set-route.ts";
import { showCost, toRouteView } from "../../output/route-view.ts";
import { table } from "../../output/table.ts";
import { type Options, required, text, UsageError, verb } from "../../verb.ts";
import { importFile, showCounts } from "../import-file.ts";
import { limitOf } from "../read-options.ts";

const BY = { actor: { kind: "command", id: "scrip" } } as const;
const LIMIT_MAX = 10_000;
const LIMIT_DEFAULT = "1000";

export function routeCommands(program: Command): void {
  const route = program
    .command("route")
    .description("the suppliers of each product; to set a single route: scrip supplier route");
  listCommand(route);

  verb(
    route
      .command("remove")
      .description("stop buying a product from a supplier; its stock stays")
      .requiredOption("--product <id>", "the product")
      .requiredOption("--supplier <id>", "the supplier"),
    async ({ db, clock }, options) => {
      const key = { productId: required(options, "product"), supplierId: required(options, "supplier") };
      return { ...toRouteView(await removeRoute(db, clock, key)), removed: true };
    },
    ({ productId, supplierId }) => `${productId} is no longer bought from ${supplierId}`,
  );

  verb(
    route
      .command("enable")
      .description("buy by a route again that was paused because its supplier charged more than its limit")
      .requiredOption("--product <id>", "the product")
      .requiredOption("--supplier <id>", "the supplier"),
    async ({ db, clock }, options) => {
      const key = { productId: required(options, "product"), supplierId: required(options, "supplier") };
      await enableRoute(db, clock, key, BY);
      return { ...key, enabled: true };
    },
    ({ productId, supplierId }) => `${productId} is bought from ${supplierId} again`,
  );

  verb(
    route
      .command("choose")
      .description("say how the supplier of a product is chosen: by priority, or the lowest landed cost")
      .requiredOption("--product <id>", "the product")
      .requiredOption("--by <routing>", "priority or cheapest"),
    async ({ db }, options) => {
      const { setRouting } = await import("../../../pricing/set-routing.ts");
      return setRouting(db, required(options, "product"), required(options, "by"));
    },
    ({ productId, routing }) => `${productId}: suppliers are chosen by ${routing}`,
  );

  verb(
    route
      .command("import")
      .description("create and change routes from a CSV file: all rows, or none if any row is invalid")
      .argument("<file>")
      .addHelpText("after", IMPORT_HELP),
    async ({ db, clock }, _options, [file = ""]) => {
      const { importRoutes } = await import("../../../suppliers/import-routes.ts");
      const { created, updated, unchanged } = await importFile(file, "rows read", (listener) =>
        importRoutes(db, clock, { file, ...listener }),
      );
      return { created, updated, unchanged };
    },
    showCounts,
  );
}

const IMPORT_HELP = `
The first line names the columns, in any order: product,supplier,priority,cost,currency,sku. The lowest priority is tried
first. An empty currency or sku keeps the value of the route; a new route takes the currency of the product's face value and
the product's id. Routes that are not in the file stay unchanged.`;

function listCommand(route: Command): void {
  verb(
    route
      .command("list")
      .description("list routes by product, with priority and cost")
      .option("--product <id>", "only routes of this product")
      .option("--supplier <id>", "only routes to this supplier")
      .option("--after <product/supplier>", "the next page: routes after this one")
      .option("--limit <n>", `maximum number, up to ${LIMIT_MAX}`, LIMIT_DEFAULT),
    async ({ db }, options) => {
      const limit = limitOf(options, LIMIT_MAX);
      const filter: RouteFilter = {
        productId: text(options, "product"),
        supplierId: text(options, "supplier"),
        after: afterOf(options),
        limit: limit + 1,
      };
      const rows = await listRouteRows(db, filter);
      return { data: rows.slice(0, limit).map(toView), hasMore: rows.length > limit };
    },
    showRoutes,
  );
}

function afterOf(options: Options): RouteFilter["after"] {
  const value = text(options, "after");
  if (value === undefined) return undefined;
  const [productId = "", supplierId, ...rest] = value.split("/");
  if (supplierId === undefined || rest.length > 0)
    throw new UsageError(`--after must be a product and a supplier, such as card-25/sup_…, not "${value}"`);
  return { productId, supplierId };
}

const toView = (row: ListedRouteRow) => ({
  ...toRouteView(row),
  supplierName: row.supplierName,
  supplierEnabled: row.supplierEnabled,
  ...(row.pause === null ? {} : { paused: toPause(row.pause) }),
});

const toPause = ({ pausedAt, expectedMinor, chargedMinor, currency, ...purchase }: RoutePause) => ({
  reason: "overcharged",
  at: pausedAt.toISOString(),
  expected: toMoney(expectedMinor, currency),
  charged: toMoney(chargedMinor, currency),
  purchase,
});

function showRoutes({ data, hasMore }: { data: ReturnType<typeof toView>[]; hasMore: boolean }): string {
  if (data.length === 0) return "No routes match. Create one: scrip supplier route --help";
  const rows = data.map((row) => [
    row.productId,
    row.supplierId,
    String(row.priority),
    showCost(row.cost),
    !row.supplierEnabled
      ? `${row.supplierName} (disabled)`
      : row.paused === undefined
        ? row.supplierName
        : `${row.supplierName} (paused: charged ${showCost(row.paused.charged)}, expected ${showCost(row.paused.expected)})`,
    row.sku === row.productId ? "" : row.sku,
  ]);
  const columns = [
    "PRODUCT",
    "SUPPLIER",
    { heading: "PRIORITY", right: true },
    { heading: "COST", right: true },
    { heading: "NAME", cut: true, optional: true },
    { heading: "SKU", optional: true },
  ] as const;
  const last = data.at(-1);
  const more = hasMore
    ? [`\nMore: the same command with --after ${last?.productId}/${last?.supplierId}`]
    : [];
  return [table(columns, rows), ...more].join("\n");
}
