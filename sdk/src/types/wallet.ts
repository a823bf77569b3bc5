import type { Open } from "../http/shapes.ts";
import type { DEPOSIT_STATUSES, WALLET_ENTRY_TYPES } from "../words.ts";
import type { CallOptions, CreatedFilters, PageFilters, ScaledMoney } from "./common.ts";

/** `balance` is what can be spent now. */
export type Balance = { balance: ScaledMoney; asOf: string };

/** Without a threshold there is no alert. */
export type WalletAlert = { threshold?: ScaledMoney };

export type KnownWalletEntryType = (typeof WALLET_ENTRY_TYPES)[number];

export type WalletEntry = {
  id: string;
  type: Open<KnownWalletEntryType>;
  /** The change of the balance in minor units; negative when the wallet paid. */
  amount: number;
  balanceAfter: number;
  currency: string;
  orderId?: string;
  note?: string;
  createdAt: string;
};

export type WalletEntryFilters = PageFilters &
  CreatedFilters & { type?: KnownWalletEntryType | undefined; orderId?: string | undefined };

export type KnownDepositStatus = (typeof DEPOSIT_STATUSES)[number];

/** Money that you send to your wallet. */
export type Deposit = {
  id: string;
  status: Open<KnownDepositStatus>;
  /** What you requested, in minor units. */
  amount: number;
  currency: string;
  minorUnitExponent: number;
  /** Put it into the remittance text of your payment. */
  reference: string;
  /** How to pay, as text for people. */
  instructions: string;
  note?: string;
  /** What arrived, in minor units. This is what is credited. */
  receivedAmount?: number;
  /** The wallet entry of the credit. */
  entryId?: string;
  /** Why it was rejected. */
  reason?: string;
  createdAt: string;
  receivedAt?: string;
  creditedAt?: string;
  rejectedAt?: string;
};

export type CreateDepositInput = {
  /** In minor units of your wallet's currency. */
  amount: number;
  note?: string | undefined;
};

/** Without an `idempotencyKey`, a random one makes the retries of this call safe. */
export type CreateDepositOptions = CallOptions & { idempotencyKey?: string | undefined };

export type DepositFilters = PageFilters & { status?: KnownDepositStatus | undefined };
