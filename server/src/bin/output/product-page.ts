import type { PriceRow } from "../../catalog/prices/price-queries.ts";
import { DETAIL_NAMES, titleOf } from "../../catalog/product-details.ts";
import type { CatalogFileProduct } from "../../catalog/product-queries.ts";
import { fields } from "./fields.ts";
import { priceTable } from "./price-table.ts";
import { paint } from "./terminal.ts";

/** The text of `scrip catalog show`. */
export function productPage(product: CatalogFileProduct & { prices?: PriceRow[] }): string {
  const { faceValue, prices = [] } = product;
  const head = fields([
    ["Product", product.id],
    ["Name", product.name],
    ["Type", product.type === "top_up" ? "game top-up" : "gift card"],
    ["Face value", `${faceValue.amount} ${faceValue.unit}`],
    ["Sold in", faceValue.isMoney ? undefined : faceValue.currency],
    ["Bonus", product.bonus === "" ? undefined : product.bonus],
    ["Quantity", `${product.minQuantity} to ${product.maxQuantity} in one line`],
    ["Input", product.inputFields.map(describeField).join(", ") || undefined],
    ...DETAIL_NAMES.map((name): [string, string | undefined] => [titleOf(name), product[name]]),
    ["Active", product.active ? "yes" : { text: "no", style: "red" }],
    ["Hidden", product.hidden ? { text: "yes", style: "red" } : "no"],
  ]);
  const list =
    prices.length === 0
      ? `No prices, so no reseller can buy it. Set one: scrip price set --product ${product.id} --list standard --currency USD --amount 9.50`
      : priceTable(prices);
  return `${head}\n\n${paint("bold", "Prices")}\n${list}`;
}

const describeField = ({ key, type, required }: CatalogFileProduct["inputFields"][number]): string =>
  `${key} (${type}${required ? ", required" : ""})`;
