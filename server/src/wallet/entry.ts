import { hash } from "node:crypto";
import type { Tenant } from "../http/caller.ts";
import { AMOUNT_MAX_MINOR } from "../lib/money.ts";

export type EntryType = "deposit" | "order" | "refund" | "adjustment";

/** The operator's side of a movement. */
export type CounterAccount = "funding" | "sales" | "adjustments";

/** Where a wallet stands: what its last entry left behind. */
export type WalletHead = Tenant & {
  currency: string;
  balanceMinor: bigint;
  sequence: bigint;
  hash: Buffer;
  lastEntryAt: Date;
};

/** A movement that is about to become an entry. What the wallet gains is positive. */
export type Movement = {
  id: string;
  type: EntryType;
  amountMinor: bigint;
  orderId: string | null;
  note: string | null;
  createdAt: Date;
};

export type Entry = Tenant &
  Movement & {
    sequence: bigint;
    counterAccount: CounterAccount;
    balanceAfterMinor: bigint;
    currency: string;
    hash: Buffer;
  };

/**
 * The next entry of a wallet and where it leaves the wallet. Undefined when the wallet would fall below zero or rise
 * above what can be held: nothing is decided by the database that was not decided here first.
 */
export function appendEntry(
  head: WalletHead,
  movement: Movement,
): { entry: Entry; head: WalletHead } | undefined {
  const balanceAfterMinor = head.balanceMinor + movement.amountMinor;
  if (balanceAfterMinor < 0n || balanceAfterMinor > AMOUNT_MAX_MINOR) return undefined;
  const unsealed = {
    ...movement,
    resellerId: head.resellerId,
    environment: head.environment,
    currency: head.currency,
    counterAccount: COUNTER_ACCOUNTS[movement.type],
    sequence: head.sequence + 1n,
    balanceAfterMinor,
    createdAt: latest(head.lastEntryAt, movement.createdAt),
  };
  const sealed = chainHash(head.hash, unsealed);
  return {
    entry: { ...unsealed, hash: sealed },
    head: {
      ...head,
      balanceMinor: balanceAfterMinor,
      sequence: unsealed.sequence,
      hash: sealed,
      lastEntryAt: unsealed.createdAt,
    },
  };
}

/**
 * Within a wallet time never runs backwards, whatever two servers' clocks say and whoever waited for its lock: a range
 * of times is a range of entries, and a statement finds it without looking through the others.
 */
const latest = (one: Date, other: Date): Date => (one > other ? one : other);

/** What the first entry of a wallet is chained to: it differs for each wallet, so no chain can be passed for another. */
export const genesisHash = ({ resellerId, environment }: Tenant): Buffer =>
  hash("sha256", `scrip wallet|${resellerId}|${environment}`, "buffer");

/** A wallet without entries. */
export const emptyHead = (tenant: Tenant, currency: string): WalletHead => ({
  resellerId: tenant.resellerId,
  environment: tenant.environment,
  currency,
  balanceMinor: 0n,
  sequence: 0n,
  hash: genesisHash(tenant),
  lastEntryAt: new Date(0),
});

const COUNTER_ACCOUNTS: Readonly<Record<EntryType, CounterAccount>> = {
  deposit: "funding",
  order: "sales",
  refund: "sales",
  adjustment: "adjustments",
};

/**
 * SHA-256 over the hash before and the entry's text. The database computes the same in `ledger_hash`, so that an audit
 * can prove millions of entries where they lie. The note stands last because it alone may hold the separator.
 */
export function chainHash(previous: Buffer, entry: Omit<Entry, "hash">): Buffer {
  const text = [
    entry.id,
    entry.resellerId,
    entry.environment,
    entry.sequence,
    entry.type,
    entry.counterAccount,
    entry.amountMinor,
    entry.balanceAfterMinor,
    entry.currency,
    entry.orderId ?? "",
    entry.createdAt.getTime(),
    entry.note ?? "",
  ].join("|");
  return hash("sha256", Buffer.concat([previous, Buffer.from(text)]), "buffer");
}
