import type { Static } from "typebox";
import { named } from "../../http/named-schema.ts";
import { Type } from "../../http/openapi/type.ts";
import { CatalogProduct } from "../schemas.ts";

export const CatalogChange = named(
  "CatalogChange",
  Type.Object({
    productId: Type.String({ description: "The product that changed.", examples: ["nimbus-us-25"] }),
    change: Type.String({
      description:
        "`upserted` or `removed`. Upserted: store `product` in place of what you have. Removed: it is no longer in your catalog.",
      examples: ["upserted"],
    }),
    product: Type.Optional(CatalogProduct),
  }),
);

export const CatalogChangePage = named(
  "CatalogChangePage",
  Type.Object({
    data: Type.Array(CatalogChange),
    hasMore: Type.Boolean({ description: "Whether there are more changes right now." }),
    nextCursor: Type.String({
      description: "Pass this as `since` to get what comes next. Never empty, and it does not expire.",
    }),
  }),
);

export type ChangeView = Static<typeof CatalogChange>;
export type ChangePageView = Static<typeof CatalogChangePage>;
