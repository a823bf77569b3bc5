import type { Tenant } from "../../http/caller.ts";
import type { VisibleProductRow } from "../queries.ts";

/** Why a product cannot be bought: the error code of an order for it. */
export type NotPurchasable = "product_not_purchasable" | "out_of_stock";

/**
 * The unit price in minor units, or why the product cannot be bought now. Both `purchasable` in the catalog and the
 * refusal of an order use this, so they cannot disagree. In the sandbox only a price is required, regardless of live
 * supply (CONTRACT 7).
 */
export function purchasePrice(
  { amountMinor, supply }: Pick<VisibleProductRow, "amountMinor" | "supply">,
  environment: Tenant["environment"],
): bigint | NotPurchasable {
  if (amountMinor === null) return "product_not_purchasable";
  if (environment === "test") return amountMinor;
  switch (supply) {
    case "none":
      return "product_not_purchasable";
    case "empty":
      return "out_of_stock";
    case "available":
      return amountMinor;
  }
}
