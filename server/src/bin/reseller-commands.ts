import type { Command } from "commander";
import { createReseller, STANDARD_PRICE_LIST } from "../resellers/create-reseller.ts";
import { getReseller } from "../resellers/get-reseller.ts";
import { limitReseller } from "../resellers/limit-reseller.ts";
import { listResellerRows, type ResellerRow } from "../resellers/queries.ts";
import { required, table, text, UsageError, verb } from "./verb.ts";

export function resellerCommands(program: Command): void {
  const reseller = program.command("reseller").description("resellers: those who sell what you offer");

  verb(
    reseller
      .command("create")
      .description("add a reseller")
      .requiredOption("--name <name>", "what it is called")
      .requiredOption("--currency <code>", "currency of its wallet and prices (ISO-4217)")
      .requiredOption("--email <address>", "where its owner is notified")
      .option("--price-list <name>", "the price list it buys from", STANDARD_PRICE_LIST),
    async ({ db, clock }, options) =>
      toView(
        await createReseller(db, clock, {
          name: required(options, "name"),
          currency: required(options, "currency"),
          email: required(options, "email"),
          priceList: text(options, "priceList"),
        }),
      ),
    (created) => `created ${created.id} (${created.name}, ${created.currency})`,
  );

  verb(
    reseller.command("list").description("all resellers"),
    async ({ db }) => ({ data: (await listResellerRows(db)).map(toView) }),
    ({ data }) =>
      table(
        ["ID", "NAME", "CURRENCY", "EMAIL", "PRICE LIST"],
        data.map((row) => [row.id, row.name, row.currency, row.email, row.priceList]),
      ),
  );

  verb(
    reseller.command("show").description("one reseller").argument("<id>"),
    async ({ db }, _options, [id = ""]) => toView(await getReseller(db, id)),
    (row) => JSON.stringify(row, null, 2),
  );

  verb(
    reseller
      .command("limit")
      .description(
        "set the requests per second of each of the reseller's keys; 0 is off, `default` is the server's own",
      )
      .argument("<id>")
      .option("--orders <n>", "placements per second")
      .option("--reads <n>", "all other requests per second"),
    async ({ db }, options, [id = ""]) => {
      const limits = { ...rate(text(options, "orders"), "orders"), ...rate(text(options, "reads"), "reads") };
      if (Object.keys(limits).length === 0) throw new UsageError("give --orders, --reads or both");
      return toView(await limitReseller(db, id, limits));
    },
    (row) =>
      `${row.id}: orders ${row.rateLimits.orders ?? "default"}/s, reads ${row.rateLimits.reads ?? "default"}/s`,
  );
}

function rate(value: string | undefined, name: "orders" | "reads"): { [key in typeof name]?: number | null } {
  if (value === undefined) return {};
  if (value === "default") return { [name]: null };
  if (!/^\d{1,7}$/.test(value))
    throw new UsageError(`--${name} takes a whole number or "default", not "${value}"`);
  return { [name]: Number(value) };
}

const toView = (row: ResellerRow) => ({
  id: row.id,
  name: row.name,
  currency: row.currency,
  email: row.email,
  priceList: row.priceList,
  rateLimits: {
    ...(row.rateLimitOrders === null ? {} : { orders: row.rateLimitOrders }),
    ...(row.rateLimitReads === null ? {} : { reads: row.rateLimitReads }),
  },
  createdAt: row.createdAt.toISOString(),
});
