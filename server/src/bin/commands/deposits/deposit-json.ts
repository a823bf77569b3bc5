import type { By } from "../../../activity/record-activity.ts";
import type { Config } from "../../../config.ts";
import type { Deposit } from "../../../deposits/deposit.ts";
import { toDepositView } from "../../../deposits/deposit-view.ts";

/** Who moves money with a command. */
export const BY: By = { actor: { kind: "command", id: "scrip" } };

/** A deposit as the operator's commands print it. */
export const toDepositJson = (deposit: Deposit, { depositInstructions }: Config) => ({
  ...toDepositView(deposit, depositInstructions),
  resellerId: deposit.resellerId,
  environment: deposit.environment,
});
export type DepositJson = ReturnType<typeof toDepositJson>;
