import type { Command } from "commander";
import { countListUsers, listPriceRows, type PriceRow } from "../../catalog/prices/price-queries.ts";
import { type PriceTarget, removePrice, setPrice } from "../../catalog/prices/set-price.ts";
import { parseCurrency } from "../../lib/currencies.ts";
import { formatAmount, toMoney } from "../../lib/money.ts";
import { getReseller } from "../../resellers/get-reseller.ts";
import type { Context } from "../open-context.ts";
import { plural, showMoney } from "../output/format.ts";
import { priceTable } from "../output/price-table.ts";
import { type Options, required, tellWarning, text, UsageError, verb } from "../verb.ts";
import { importFile, refusedOf, showCounts, TAKE_GOOD } from "./import-file.ts";
import { publishCommands } from "./pricing/publish-commands.ts";

export function priceCommands(program: Command): void {
  const price = program.command("price").description("what resellers pay");
  setCommand(price);
  removeCommand(price);
  listCommand(price);
  importCommand(price);
  publishCommands(price);
}

function setCommand(price: Command): void {
  verb(
    withTarget(price.command("set").description("set a reseller's own price, or a price list's"))
      .requiredOption("--amount <decimal>", "such as 9.50")
      .option("--strike <decimal>", "the price before the discount, for display; not below the price"),
    async (context, options) => {
      const row = await setPrice(context.db, context.clock, {
        productId: required(options, "product"),
        target: await target(context, options),
        amount: required(options, "amount"),
        strike: text(options, "strike"),
      });
      await warnIfUnused(context, row);
      return toView(row);
    },
    (row) =>
      `${row.productId}: ${showMoney(row.price.amount, row.price.currency)} for ${row.resellerId ?? `the list ${row.list}`}`,
  );
}

function removeCommand(price: Command): void {
  verb(
    withTarget(
      price
        .command("remove")
        .description(
          "remove a price; a reseller without its own price pays the price of its list, if there is one",
        ),
    ),
    async (context, options) =>
      toView(
        await removePrice(context.db, {
          productId: required(options, "product"),
          target: await target(context, options),
        }),
      ),
    (row) =>
      `removed the price of ${row.productId} for ${row.resellerId ?? `the list ${row.list}`}: ${showMoney(row.price.amount, row.price.currency)}`,
  );
}

function listCommand(price: Command): void {
  verb(
    price
      .command("list")
      .description("list prices of price lists and resellers")
      .option("--product <id>", "only prices of this product")
      .option("--reseller <id>", "only this reseller's own prices")
      .option("--list <name>", "only prices of this list"),
    async ({ db }, options) => {
      const rows = await listPriceRows(db, {
        productId: text(options, "product") ?? null,
        resellerId: text(options, "reseller") ?? null,
        priceList: text(options, "list") ?? null,
      });
      return options.json === true ? { data: rows.map(toView) } : { rows };
    },
    ({ rows = [] }) =>
      rows.length === 0 ? "No prices match. Set one: scrip price set --help" : priceTable(rows),
  );
}

function importCommand(price: Command): void {
  verb(
    price
      .command("import")
      .description("set prices from a CSV file: all rows, or none if any row is invalid")
      .argument("<file>")
      .option(...TAKE_GOOD)
      .addHelpText("after", IMPORT_HELP),
    async ({ db, clock }, options, [file = ""]) => {
      const { importPrices } = await import("../../catalog/prices/import-prices.ts");
      const takeGood = options.takeGood === true;
      const imported = await importFile(file, "rows read", (listener) =>
        importPrices(db, clock, { file, takeGood, ...listener }),
      );
      const { created, updated, unchanged } = imported;
      return { created, updated, unchanged, ...refusedOf(imported) };
    },
    showCounts,
  );
}

const IMPORT_HELP = `
The first line names the columns, in any order: product,list,reseller,currency,amount,strike. Each row has either a list
and its currency, or a reseller, whose wallet sets the currency. Prices that are not in the file stay unchanged.`;

const withTarget = (command: Command): Command =>
  command
    .requiredOption("--product <id>", "the product")
    .option("--reseller <id>", "set this reseller's own price, in the currency of its wallet")
    .option("--list <name>", "set the price of this list (with --currency)")
    .option("--currency <code>", "the currency of the list's price (ISO-4217)");

async function target({ db }: Context, options: Options): Promise<PriceTarget> {
  const resellerId = text(options, "reseller");
  const priceList = text(options, "list");
  const given = text(options, "currency");
  const currency = given === undefined ? undefined : parseCurrency(given);
  if (resellerId !== undefined && priceList === undefined) {
    const reseller = await getReseller(db, resellerId);
    if (currency !== undefined && currency !== reseller.currency) {
      throw new RangeError(
        `the wallet of ${resellerId} is in ${reseller.currency}, so its prices must be too`,
      );
    }
    return { kind: "reseller", resellerId, currency: reseller.currency };
  }
  if (resellerId === undefined && priceList !== undefined && currency !== undefined) {
    return { kind: "list", priceList, currency };
  }
  throw new UsageError("use either --reseller, or --list with --currency");
}

/** A price that no reseller pays might be meant for another list or currency. */
async function warnIfUnused({ db }: Context, row: PriceRow): Promise<void> {
  const { priceList, productId, currency } = row;
  if (priceList === null) return;
  const { users, ownPrices } = await countListUsers(db, { productId, priceList, currency });
  if (users === 0)
    tellWarning(`no reseller uses the list ${priceList} in ${currency}; see: scrip reseller list`);
  else if (ownPrices > 0)
    tellWarning(
      `${plural(ownPrices, "reseller of this list has", "resellers of this list have")} their own price, which takes precedence; see: scrip price list --product ${productId}`,
    );
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
