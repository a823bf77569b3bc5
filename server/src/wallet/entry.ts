import { hash } from "node:crypto";
import type { Tenant } from "../http/caller.ts";
import { AMOUNT_MAX_MINOR } from "../lib/money.ts";

export type EntryType = "deposit" | "order" | "refund" | "adjustment";

/** The operator's side of a movement. */
export type CounterAccount = "funding" | "sales" | "adjustments";

/** The state of a wallet after its last entry. */
export type WalletHead = Tenant & {
  currency: string;
  balanceMinor: bigint;
  sequence: bigint;
  hash: Buffer;
  lastEntryAt: Date;
};

/** A movement that is about to become an entry. A positive amount increases the balance. */
export type Movement = {
  id: string;
  type: EntryType;
  amountMinor: bigint;
  orderId: string | null;
  /** The deposit that it credits. Not in the hash: the audit compares it with the deposit. */
  depositId?: string | undefined;
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
 * The next entry of a wallet and the resulting state. Undefined if the balance would become negative or exceed the
 * maximum. The database only confirms what is decided here.
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
 * Time never goes backwards within a wallet, even if the clocks of two servers differ. A time range is therefore a
 * sequence range, and a statement finds it without scanning.
 */
const latest = (one: Date, other: Date): Date => (one > other ? one : other);

/** What the first entry is chained to. It differs for each wallet, so one chain cannot be passed off as another. */
export const genesisHash = ({ resellerId, environment }: Tenant): Buffer =>
  sha256(`scrip wallet|${resellerId}|${environment}`);

/** By way of a text: a buffer that the hash makes itself has memory of its own, and takes twice as long. */
export const sha256 = (data: string | Buffer): Buffer =>
  Buffer.from(hash("sha256", data, "binary"), "latin1");

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
 * SHA-256 over the previous hash and the entry's text. The database computes the same in `ledger_hash`, so an audit
 * can verify millions of entries in place. The note comes last because only it can contain the separator.
 */
export function chainHash(previous: Buffer, entry: Omit<Entry, "hash">): Buffer {
  const text =
    `${entry.id}|${entry.resellerId}|${entry.environment}|${entry.sequence}|${entry.type}|${entry.counterAccount}|` +
    `${entry.amountMinor}|${entry.balanceAfterMinor}|${entry.currency}|${entry.orderId ?? ""}|` +
    `${entry.createdAt.getTime()}|${entry.note ?? ""}`;
  // A character takes at most three bytes for each unit of its text.
  if (previous.length + text.length * 3 > hashed.length) {
    return sha256(Buffer.concat([previous, Buffer.from(text)]));
  }
  previous.copy(hashed);
  const end = previous.length + hashed.write(text, previous.length);
  return sha256(hashed.subarray(0, end));
}

/** What is hashed is put together here, because two buffers for each entry cost as much as its hash. */
const hashed = Buffer.alloc(4_096);
