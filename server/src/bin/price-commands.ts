import type { Command } from "commander";
import { listPriceRows, type PriceRow } from "../catalog/price-queries.ts";
import { setListing } from "../catalog/set-listing.ts";
import { type PriceTarget, setPrice } from "../catalog/set-price.ts";
import { formatAmount, toMoney } from "../lib/money.ts";
import { getReseller } from "../resellers/get-reseller.ts";
import type { Context } from "./open-context.ts";
import { type Options, required, table, text, UsageError, verb } from "./verb.ts";

export function priceCommands(program: Command): void {
  const price = program.command("price").description("what resellers pay");

  verb(
    price
      .command("set")
      .description("set a reseller's own price, or a price list's")
      .requiredOption("--product <id>", "which product")
      .option("--reseller <id>", "this reseller's own price, in its wallet's currency")
      .option("--list <name>", "the price for all resellers of this list (with --currency)")
      .option("--currency <code>", "the currency of the list's price (ISO-4217)")
      .requiredOption("--amount <decimal>", "such as 9.50")
      .option("--strike <decimal>", "the price before the discount, for display"),
    async (context, options) =>
      toView(
        await setPrice(context.db, context.clock, {
          productId: required(options, "product"),
          target: await target(context, options),
          amount: required(options, "amount"),
          strike: text(options, "strike"),
        }),
      ),
    (row) => `${row.productId}: ${row.price.amountText} ${row.price.currency}`,
  );

  verb(
    price
      .command("list")
      .description("prices of price lists and of resellers")
      .option("--product <id>", "only of this product")
      .option("--reseller <id>", "only this reseller's own")
      .option("--list <name>", "only of this price list"),
    async ({ db }, options) => ({
      data: (
        await listPriceRows(db, {
          productId: text(options, "product") ?? null,
          resellerId: text(options, "reseller") ?? null,
          priceList: text(options, "list") ?? null,
        })
      ).map(toView),
    }),
    ({ data }) =>
      table(
        ["PRODUCT", "FOR", "PRICE", "STRIKE"],
        data.map((row) => [
          row.productId,
          row.resellerId ?? `list ${row.list}`,
          `${row.price.amountText} ${row.price.currency}`,
          row.strikePrice?.amountText ?? "",
        ]),
      ),
  );

  verb(
    program
      .command("listing")
      .description("which products a reseller sees")
      .command("set")
      .description(
        "list or unlist a product for one reseller; a product is listed for everyone until it is unlisted",
      )
      .requiredOption("--product <id>", "which product")
      .requiredOption("--reseller <id>", "for whom")
      .requiredOption("--listed <yes|no>", "yes or no"),
    async ({ db }, options) => {
      const listed = required(options, "listed");
      if (listed !== "yes" && listed !== "no") throw new UsageError(`--listed is yes or no, not "${listed}"`);
      const { id: resellerId } = await getReseller(db, required(options, "reseller"));
      const listing = { productId: required(options, "product"), resellerId, listed: listed === "yes" };
      await setListing(db, listing);
      return listing;
    },
    (listing) =>
      `${listing.productId} is ${listing.listed ? "listed" : "not listed"} for ${listing.resellerId}`,
  );
}

async function target({ db }: Context, options: Options): Promise<PriceTarget> {
  const resellerId = text(options, "reseller");
  const priceList = text(options, "list");
  const currency = text(options, "currency");
  if (resellerId !== undefined && priceList === undefined) {
    const reseller = await getReseller(db, resellerId);
    if (currency !== undefined && currency !== reseller.currency) {
      throw new RangeError(`the wallet of ${resellerId} is in ${reseller.currency}, so its prices are too`);
    }
    return { kind: "reseller", resellerId, currency: reseller.currency };
  }
  if (resellerId === undefined && priceList !== undefined && currency !== undefined) {
    return { kind: "list", priceList, currency };
  }
  throw new UsageError("give either --reseller, or --list with --currency");
}

const toView = (row: PriceRow) => ({
  productId: row.productId,
  ...(row.resellerId === null ? {} : { resellerId: row.resellerId }),
  ...(row.priceList === null ? {} : { list: row.priceList }),
  price: moneyView(row.amountMinor, row.currency),
  ...(row.strikeMinor === null ? {} : { strikePrice: moneyView(row.strikeMinor, row.currency) }),
});

const moneyView = (amountMinor: bigint, currency: string) => ({
  ...toMoney(amountMinor, currency),
  amountText: formatAmount(amountMinor, currency),
});
