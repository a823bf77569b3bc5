import type { Static } from "typebox";
import { named } from "../http/named-schema.ts";
import { Type } from "../http/openapi/type.ts";
import { pageOf } from "../http/page.ts";
import { DEPOSIT_NOTE_MAX_CHARACTERS } from "./request-deposit.ts";

export const RequestDepositRequest = named(
  "RequestDepositRequest",
  Type.Object(
    {
      amount: Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "What you will send, in minor units of your wallet's currency.",
      }),
      note: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: DEPOSIT_NOTE_MAX_CHARACTERS,
          description: "Your own note. The operator sees it. In the sandbox some notes have an effect.",
        }),
      ),
    },
    { additionalProperties: false, examples: [{ amount: 500000, note: "Top-up for March" }] },
  ),
);
export type RequestDepositBody = Static<typeof RequestDepositRequest>;

export const DepositView = named(
  "Deposit",
  Type.Object({
    id: Type.String(),
    status: Type.String({ description: "`requested`, `received`, `credited` or `rejected`." }),
    amount: Type.Integer({ description: "What you requested, in minor units." }),
    currency: Type.String(),
    minorUnitExponent: Type.Integer(),
    reference: Type.String({
      description:
        "Put it into the remittance text of your payment. An ISO 11649 creditor reference; spaces, hyphens and lower case do no harm.",
    }),
    instructions: Type.String({ description: "How to pay, as text for people." }),
    note: Type.Optional(Type.String()),
    receivedAmount: Type.Optional(
      Type.Integer({ description: "What arrived, in minor units. This is what is credited." }),
    ),
    entryId: Type.Optional(Type.String({ description: "The wallet entry of the credit." })),
    reason: Type.Optional(Type.String({ description: "Why it was rejected." })),
    createdAt: Type.String({ format: "date-time" }),
    receivedAt: Type.Optional(Type.String({ format: "date-time" })),
    creditedAt: Type.Optional(Type.String({ format: "date-time" })),
    rejectedAt: Type.Optional(Type.String({ format: "date-time" })),
  }),
);
export type DepositViewOf = Static<typeof DepositView>;

export const DepositReply = named("DepositReply", Type.Object({ deposit: DepositView }));
export const DepositPage = named("DepositPage", pageOf(DepositView));
