import type { StockKind } from "../supplier-kind.ts";

export const stockKind: StockKind = {
  kind: "stock",
  does: "sells codes that you import",
  hasOwnStock: true,
  canSyncCatalog: false,
  canCheckAccount: false,
  canFeedRates: false,
};
