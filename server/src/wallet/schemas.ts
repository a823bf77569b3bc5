import type { Static } from "typebox";
import { named } from "../http/named-schema.ts";
import { Type } from "../http/openapi/type.ts";
import { pageOf } from "../http/page.ts";

export const BalanceReply = named(
  "BalanceReply",
  Type.Object({
    balance: Type.Object(
      {
        amount: Type.Integer({ description: "Available balance in minor units." }),
        currency: Type.String(),
        minorUnitExponent: Type.Integer(),
      },
      { examples: [{ amount: 1250000, currency: "USD", minorUnitExponent: 2 }] },
    ),
    asOf: Type.String({ format: "date-time" }),
  }),
);

export const WalletEntry = named(
  "WalletEntry",
  Type.Object({
    id: Type.String(),
    type: Type.String({ description: "`deposit`, `order`, `refund` or `adjustment`." }),
    amount: Type.Integer({ description: "Amount in minor units. Negative for a debit." }),
    balanceAfter: Type.Integer({ description: "Balance after this entry, in minor units." }),
    currency: Type.String(),
    orderId: Type.Optional(Type.String()),
    note: Type.Optional(Type.String()),
    createdAt: Type.String({ format: "date-time" }),
  }),
);

export const WalletEntryPage = named("WalletEntryPage", pageOf(WalletEntry));
export type WalletEntryView = Static<typeof WalletEntry>;
