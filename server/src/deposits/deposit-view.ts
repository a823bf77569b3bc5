import { toMoney, toSafeInteger } from "../lib/money.ts";
import type { Deposit } from "./deposit.ts";
import { type DepositInstructions, instructionsFor } from "./instructions.ts";
import type { DepositViewOf } from "./schemas.ts";

/** A deposit as its reseller sees it. */
export function toDepositView(deposit: Deposit, texts: DepositInstructions): DepositViewOf {
  const { id, status, reference, note, receivedMinor, entryId, reason } = deposit;
  return {
    id,
    status,
    ...toMoney(deposit.amountMinor, deposit.currency),
    reference,
    instructions: instructionsFor(texts, deposit),
    ...(note === null ? {} : { note }),
    ...(receivedMinor === null ? {} : { receivedAmount: toSafeInteger(receivedMinor) }),
    ...(entryId === null ? {} : { entryId }),
    ...(reason === null ? {} : { reason }),
    createdAt: deposit.createdAt.toISOString(),
    ...timeOf("receivedAt", deposit.receivedAt),
    ...timeOf("creditedAt", deposit.creditedAt),
    ...timeOf("rejectedAt", deposit.rejectedAt),
  };
}

const timeOf = <Name extends string>(name: Name, at: Date | null): { [Key in Name]?: string } =>
  (at === null ? {} : { [name]: at.toISOString() }) as { [Key in Name]?: string };
