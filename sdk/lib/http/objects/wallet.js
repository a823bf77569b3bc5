import { DEPOSIT_STATUSES, WALLET_ENTRY_TYPES } from "../../words.js";
import { count, integer, object, optional, text, wordOf } from "../shapes.js";
export const walletEntry = object({
    id: text,
    type: wordOf(WALLET_ENTRY_TYPES),
    amount: integer,
    balanceAfter: integer,
    currency: text,
    orderId: optional(text),
    note: optional(text),
    createdAt: text,
});
export const deposit = object({
    id: text,
    status: wordOf(DEPOSIT_STATUSES),
    amount: count,
    currency: text,
    minorUnitExponent: count,
    reference: text,
    instructions: text,
    note: optional(text),
    receivedAmount: optional(count),
    entryId: optional(text),
    reason: optional(text),
    createdAt: text,
    receivedAt: optional(text),
    creditedAt: optional(text),
    rejectedAt: optional(text),
});
