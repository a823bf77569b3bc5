import type { Tx } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import {
  countSpending,
  freezeIfTooFast,
  type KeySpending,
  type LimitsByKey,
  refuseByCaps,
  refuseFrozen,
} from "../../keys/limits/decide-limits.ts";
import { type Actor, actorKey } from "../../lib/actor.ts";
import { entryIdOf } from "../../lib/ids.ts";
import { formatAmount } from "../../lib/money.ts";
import { Problem } from "../../lib/problem.ts";
import type { OrderFate } from "../../sandbox/order-fate.ts";
import { appendEntry, type Entry, type WalletHead } from "../../wallet/entry.ts";
import { money } from "../order-view.ts";
import type { PricedOrder } from "../price-order.ts";
import type { OrderStatus } from "../status.ts";

/** One caller's request to place an order, priced at a catalog revision, or refused by it. */
export type Placement = Tenant & {
  orderId: string;
  actor: Actor;
  idempotencyKey: string;
  fingerprint: Buffer;
  reference: string | null;
  /** Delivered as a whole or refunded as a whole. If absent, the available units are delivered. */
  allOrNothing?: boolean;
  /** How the sandbox ends the order, if not by completing it. */
  fate: OrderFate;
  catalogRevision: string;
  priced: PricedOrder | Problem;
  /** Prices the order within the transaction, if the catalog changes faster than it can be priced ahead. */
  priceAgain?: (tx: Tx) => Promise<PricedOrder | Problem>;
  createdAt: Date;
  /** Set if another process forwarded it: from then on that process decides (`machineTimeMs`). */
  deadlineMs?: number;
  /** Set if it may have been sent before, and could still be placed by that: what is refused now must not be placed then. */
  isInDoubt?: boolean;
};

export type BoundOrder = {
  id: string;
  status: OrderStatus;
  totalMinor: bigint;
  currency: string;
  fingerprint: Buffer;
};

/** What the database returned under the locks of the wallets. */
export type PlacementState = {
  wallets: Map<string, WalletHead>;
  /** How often each wallet was fenced off from what was decided ahead. */
  fences: ReadonlyMap<string, string>;
  /** When it was read, by the database's clock. */
  atMs: number;
  /** Orders by wallet and idempotency key. */
  bound: Map<string, BoundOrder>;
  /** The actors that are allowed to place orders for a reseller now, by `livingKey`. */
  living: ReadonlySet<string>;
  revisions: ReadonlyMap<string, string>;
  /** Of the keys that have any. */
  limits: LimitsByKey;
};

export type PlacedOrder = {
  placement: Placement;
  priced: PricedOrder;
  entry: Entry;
  /** What it adds to the count of its key, if the key is counted. */
  spending?: KeySpending | undefined;
};

export type Decision =
  | { kind: "placed"; order: BoundOrder; placed: PlacedOrder }
  | { kind: "replayed"; order: BoundOrder }
  | { kind: "conflict" }
  | { kind: "revoked" }
  /** Nothing was decided. */
  | { kind: "busy" }
  /** The catalog has changed since the order was priced. Price it again. */
  | { kind: "stale"; catalogRevision: string }
  /** `freezes`: the key that is frozen by it. */
  | { kind: "refused"; problem: Problem; freezes?: string };

export const walletKey = ({ resellerId, environment }: Tenant): string => `${resellerId} ${environment}`;
/**
 * An actor is active for one reseller: a person can belong to the team of one and not of another. `begin_placement_batch`
 * writes the same text.
 */
export const livingKey = (actor: Actor, resellerId: string): string => `${actorKey(actor)} ${resellerId}`;
export const bindingKey = (tenant: Tenant, idempotencyKey: string): string =>
  `${walletKey(tenant)} ${idempotencyKey}`;

/**
 * Decides each placement in order of arrival, against the running balances. Pure: a batch decides exactly as if its
 * placements came one at a time. The state advances with every placed order. `nowMs` was read under the locks.
 * Without it no forwarded placement is decided.
 */
export const decidePlacements = (
  state: PlacementState,
  placements: readonly Placement[],
  nowMs = Number.POSITIVE_INFINITY,
): Decision[] => placements.map((placement) => decide(state, placement, nowMs));

function decide(state: PlacementState, placement: Placement, nowMs: number): Decision {
  const binding = bindingKey(placement, placement.idempotencyKey);
  const bound = state.bound.get(binding);
  // Its own order, from a batch whose response was lost. It was placed, whatever happened to its actor since.
  if (bound?.id === placement.orderId) return { kind: "replayed", order: bound };
  // The process that forwarded it has perhaps refused it by now.
  if (placement.deadlineMs !== undefined && nowMs >= placement.deadlineMs) return { kind: "busy" };
  if (!state.living.has(livingKey(placement.actor, placement.resellerId))) return { kind: "revoked" };
  // A bound key returns its order, whatever happened to product, price or balance since.
  if (bound)
    return bound.fingerprint.equals(placement.fingerprint)
      ? { kind: "replayed", order: bound }
      : { kind: "conflict" };
  const catalogRevision = state.revisions.get(placement.resellerId) ?? "";
  if (catalogRevision === FROZEN) return { kind: "refused", problem: resellerFrozen() };
  const frozen = refuseFrozen(state.limits, placement.actor);
  if (frozen) return { kind: "refused", problem: frozen };
  if (catalogRevision !== placement.catalogRevision) return { kind: "stale", catalogRevision };
  if (placement.priced instanceof Problem) return { kind: "refused", problem: placement.priced };
  return pay(state, placement, placement.priced, binding);
}

/** What the database returns instead of a revision for a reseller that must not place orders. */
export const FROZEN = "frozen";

const resellerFrozen = (): Problem =>
  new Problem("reseller_frozen", "The operator has frozen this reseller. No order was placed.");

function pay(state: PlacementState, placement: Placement, priced: PricedOrder, binding: string): Decision {
  const wallet = walletKey(placement);
  const head = state.wallets.get(wallet);
  if (!head) throw new Error("a reseller without a wallet");
  if (head.currency !== priced.currency) {
    const problem = new Problem(
      "currency_mismatch",
      `The wallet is in ${head.currency} and the order in ${priced.currency}.`,
    );
    return { kind: "refused", problem };
  }
  const { totalMinor, currency } = priced;
  const spending = { totalMinor, currency, createdAt: placement.createdAt };
  const capped = refuseByCaps(state.limits, placement.actor, spending);
  if (capped) return { kind: "refused", problem: capped };
  const next = appendEntry(head, {
    id: entryIdOf(placement.orderId),
    type: "order",
    amountMinor: -totalMinor,
    orderId: placement.orderId,
    note: null,
    createdAt: placement.createdAt,
  });
  if (!next) return { kind: "refused", problem: insufficientFunds(head, priced) };
  const frozen = freezeIfTooFast(state.limits, placement.actor, spending);
  if (frozen) return { kind: "refused", problem: frozen, freezes: placement.actor.id };
  const order: BoundOrder = {
    id: placement.orderId,
    status: "pending",
    totalMinor,
    currency,
    fingerprint: placement.fingerprint,
  };
  state.wallets.set(wallet, next.head);
  state.bound.set(binding, order);
  const counted = countSpending(state.limits, placement.actor, spending);
  return { kind: "placed", order, placed: { placement, priced, entry: next.entry, spending: counted } };
}

/** The balance is for callers that may read it: see `place-order`. */
const insufficientFunds = (head: WalletHead, { totalMinor, currency }: PricedOrder): Problem =>
  new Problem(
    "insufficient_funds",
    `The order costs ${formatAmount(totalMinor, currency)} ${currency}, which is more than the wallet holds.`,
    { members: { required: money(totalMinor, currency), balance: money(head.balanceMinor, currency) } },
  );
