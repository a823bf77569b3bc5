import type { PriceRow } from "../../catalog/prices/price-queries.ts";
import { showAmount, showMoney } from "./format.ts";
import { table } from "./table.ts";

/** Prices for people. */
export const priceTable = (rows: readonly PriceRow[]): string =>
  table(
    ["PRODUCT", "FOR", { heading: "PRICE", right: true }, { heading: "STRIKE", right: true }],
    rows.map((row) => [
      row.productId,
      row.resellerId ?? `list ${row.priceList}`,
      showMoney(row.amountMinor, row.currency),
      row.strikeMinor === null ? "" : showAmount(row.strikeMinor, row.currency),
    ]),
  );
