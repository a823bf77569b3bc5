import type { Tenant } from "../../http/caller.ts";
import type { VisibleProductRow } from "../queries.ts";

/** Why a product cannot be bought, in the words in which an order of it is refused. */
export type NotPurchasable = "product_not_purchasable" | "out_of_stock";

/**
 * What a unit costs in minor units, or why it cannot be bought now. `purchasable` in the catalog and the refusal of an order
 * are both this one answer, so that they cannot disagree. CONTRACT 7: the sandbox asks for a price alone, whatever there is
 * to be had live.
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
