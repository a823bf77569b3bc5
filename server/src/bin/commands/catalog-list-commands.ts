import type { Command } from "commander";
import { type FoundProduct, type ProductSearch, searchProducts } from "../../catalog/search-products.ts";
import { type Cell, table } from "../output/table.ts";
import { type Options, text, UsageError, verb } from "../verb.ts";
import { choiceOf, limitOf } from "./read-options.ts";

const LIMIT_MAX = 10_000;
const LIMIT_DEFAULT = "100";
const TYPES = ["gift_card", "top_up"] as const;

export function catalogListCommands(catalog: Command): void {
  verb(
    withFilters(catalog.command("list").description("list products by id, including hidden ones")),
    ({ db }, options) => find(db, options, []),
    (found) => showProducts(found, "The catalog is empty. Import products: scrip catalog import FILE"),
  );
  verb(
    withFilters(
      catalog
        .command("search")
        .description("find products whose id or name contains all of these words, in any case")
        .argument("<words...>"),
    ),
    ({ db }, options, words) => {
      const wanted = words.flatMap((word) => word.split(/\s+/)).filter((word) => word !== "");
      if (wanted.length === 0) throw new UsageError("a search word is required");
      return find(db, options, wanted);
    },
    (found) => showProducts(found, "No product matches all of these words."),
  );
}

const withFilters = (command: Command): Command =>
  command
    .option("--type <type>", TYPES.join(" or "))
    .option("--hidden", "only hidden products")
    .option("--after <id>", "the next page: products after this id")
    .option("--limit <n>", `maximum number, up to ${LIMIT_MAX}`, LIMIT_DEFAULT);

async function find(
  db: Parameters<typeof searchProducts>[0],
  options: Options,
  words: readonly string[],
): Promise<Found> {
  const search: ProductSearch = {
    words,
    type: choiceOf(options, "type", TYPES),
    hidden: options.hidden === true ? true : undefined,
    afterId: text(options, "after") ?? "",
    limit: limitOf(options, LIMIT_MAX),
  };
  const { products, hasMore } = await searchProducts(db, search);
  return { data: products, hasMore };
}

type Found = { data: FoundProduct[]; hasMore: boolean };

function showProducts({ data, hasMore }: Found, whenEmpty: string): string {
  if (data.length === 0) return whenEmpty;
  const rows = data.map((row) => [
    row.id,
    row.name,
    row.type === "top_up" ? "top-up" : "gift card",
    `${row.faceValueAmount} ${row.faceValueUnit}`,
    stateCell(row),
    String(row.listPrices + row.resellerPrices),
  ]);
  const columns = [
    "ID",
    { heading: "NAME", cut: true },
    { heading: "TYPE", optional: true },
    { heading: "FACE VALUE", right: true },
    "STATE",
    { heading: "PRICES", right: true, optional: true },
  ] as const;
  const more = hasMore ? [`\nMore: the same command with --after ${data.at(-1)?.id}`] : [];
  return [table(columns, rows), ...more].join("\n");
}

/** Whether a product can be bought live, or why not. */
function stateCell(row: FoundProduct): Cell {
  if (!row.active) return { text: "inactive", style: "dim" };
  if (row.hidden) return { text: "hidden", style: "dim" };
  if (row.supply === "none") return { text: "no route", style: "red" };
  if (row.supply === "empty") return { text: "out of stock", style: "red" };
  if (row.listPrices + row.resellerPrices === 0) return { text: "no price", style: "red" };
  return { text: "on sale", style: "green" };
}
