import type { Command } from "commander";
import { removeRoute, setRoute } from "../../../suppliers/set-route.ts";
import { showCost, toRouteView } from "../../output/route-view.ts";
import { type Options, required, text, UsageError, verb } from "../../verb.ts";
import { wholeNumber } from "../read-options.ts";

export function supplierRouteCommand(supplier: Command): void {
  verb(
    supplier
      .command("route")
      .description("add or change the route of a product to a supplier; the lowest priority is tried first")
      .requiredOption("--product <id>", "the product")
      .requiredOption("--supplier <id>", "the supplier")
      .option("--priority <n>", "the lowest number is tried first")
      .option("--cost <decimal>", "the cost of one unit, such as 8.10")
      .option(
        "--max-cost <decimal>",
        "for a supplier that is called: the highest accepted cost of one unit (default: the cost)",
      )
      .option(
        "--currency <code>",
        "the currency of the cost (default: the route's, or that of the product's face value)",
      )
      .option("--sku <id>", "the supplier's id of the product (default: the route's, or the product's id)")
      .option(
        "--value <decimal>",
        "the face value to buy, for a supplier that lets the buyer choose, such as 25.00",
      )
      .option(
        "--map <ours=theirs,…>",
        "what the supplier calls the product's input fields, such as playerId=account_number",
      )
      .option("--remove", "remove the route"),
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
          value: text(options, "value"),
          fieldMap: fieldMapOf(options),
        }),
      );
    },
    (route) =>
      "removed" in route
        ? `${route.productId} is no longer bought from ${route.supplierId}`
        : `${route.productId} is bought from ${route.supplierId} as ${route.sku}, priority ${route.priority}, ` +
          `cost ${showCost(route.cost)}` +
          (route.maxCost === undefined ? "" : `, up to ${showCost(route.maxCost)}`) +
          (route.value === undefined ? "" : `, face value ${route.value}`),
  );
}

/** "playerId=account_number,zone=account_qualifier"; an empty text removes the names. */
function fieldMapOf(options: Options): Record<string, string> | undefined {
  const given = text(options, "map");
  if (given === undefined) return undefined;
  if (given === "") return {};
  const pairs = given.split(",").map((pair) => pair.split("="));
  if (pairs.some((pair) => pair.length !== 2 || pair.includes("")))
    throw new UsageError(`--map must be a list such as playerId=account_number, not "${given}"`);
  return Object.fromEntries(pairs);
}

const WITHOUT_REMOVE = [
  ["priority", "priority"],
  ["cost", "cost"],
  ["maxCost", "max-cost"],
  ["currency", "currency"],
  ["sku", "sku"],
  ["value", "value"],
  ["map", "map"],
] as const;

/** --remove with a cost is a mistake. */
function refuseWithRemove(options: Options): void {
  for (const [name, flag] of WITHOUT_REMOVE) {
    if (text(options, name) !== undefined) throw new UsageError(`--remove cannot be used with --${flag}`);
  }
}
