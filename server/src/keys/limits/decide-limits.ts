import type { Actor } from "../../lib/actor.ts";
import { formatAmount } from "../../lib/money.ts";
import { Problem } from "../../lib/problem.ts";

/** What limits a key, and what it has spent. Only keys that have a limit, or are frozen, have one of these. */
export type KeyLimits = {
  maxOrderMinor: bigint | undefined;
  maxDayMinor: bigint | undefined;
  /** More than this in an hour freezes the key. */
  freezeAboveMinor: bigint | undefined;
  /** The UTC hour before which nothing freezes it, if it was unfrozen. */
  freezeFrom: string | undefined;
  isFrozen: boolean;
  /** The first UTC day that is counted, such as 2030-01-31. Undefined if no limit needs a count. */
  countedFrom: string | undefined;
  /** By UTC hour, such as 2030-01-31T12, from the first day of the batch on. */
  spent: ReadonlyMap<string, bigint>;
};

/** By the id of the key. Advances with every order, as the wallets do. */
export type LimitsByKey = Map<string, KeyLimits>;

type Spending = { totalMinor: bigint; currency: string; createdAt: Date };

/** A key that was frozen places nothing, whatever it orders. */
export const refuseFrozen = (limits: LimitsByKey, actor: Actor): Problem | undefined =>
  limitsOf(limits, actor)?.isFrozen ? keyFrozen() : undefined;

/** Refuses what is beyond a cap of the key. A person has no caps. */
export function refuseByCaps(limits: LimitsByKey, actor: Actor, spending: Spending): Problem | undefined {
  const key = limitsOf(limits, actor);
  if (!key) return undefined;
  const { totalMinor, currency, createdAt } = spending;
  const show = (minor: bigint) => `${formatAmount(minor, currency)} ${currency}`;
  if (key.maxOrderMinor !== undefined && totalMinor > key.maxOrderMinor)
    return refuse(
      `The key can spend ${show(key.maxOrderMinor)} in one order, and this order costs ${show(totalMinor)}. Split the order, or raise the limit of the key.`,
    );
  if (key.maxDayMinor === undefined || !isCounted(key, createdAt)) return undefined;
  const spentMinor = spentOnDay(key, dayOf(createdAt));
  if (spentMinor + totalMinor <= key.maxDayMinor) return undefined;
  return refuse(
    `The key can spend ${show(key.maxDayMinor)} in a UTC day and has spent ${show(spentMinor)}; this order costs ${show(totalMinor)}. Wait until 00:00 UTC, or raise the limit of the key.`,
  );
}

/** Freezes the key, in the state, if the order would be too much for the hour. Only an order that can be paid is spending. */
export function freezeIfTooFast(limits: LimitsByKey, actor: Actor, spending: Spending): Problem | undefined {
  const key = limitsOf(limits, actor);
  const { totalMinor, createdAt } = spending;
  if (!key || !isCounted(key, createdAt) || !isTooFast(key, totalMinor, hourOf(createdAt))) return undefined;
  limits.set(actor.id, { ...key, isFrozen: true });
  return keyFrozen();
}

/** Counts a placed order. Returns what to add to which hour of which key, if it counts. */
export function countSpending(
  limits: LimitsByKey,
  actor: Actor,
  { totalMinor, createdAt }: Spending,
): KeySpending | undefined {
  const key = limitsOf(limits, actor);
  if (!key || !isCounted(key, createdAt)) return undefined;
  const hour = hourOf(createdAt);
  const spent = new Map(key.spent).set(hour, (key.spent.get(hour) ?? 0n) + totalMinor);
  limits.set(actor.id, { ...key, spent });
  return { keyId: actor.id, hour, spentMinor: totalMinor };
}

export type KeySpending = { keyId: string; hour: string; spentMinor: bigint };

/** One row for each key and hour, as the table has them. */
export function sumSpending(parts: readonly KeySpending[]): KeySpending[] {
  const sums = new Map<string, KeySpending>();
  for (const part of parts) {
    const place = `${part.keyId} ${part.hour}`;
    sums.set(place, { ...part, spentMinor: part.spentMinor + (sums.get(place)?.spentMinor ?? 0n) });
  }
  return [...sums.values()];
}

/** Hardly any key has limits, and then this is all that they cost. */
const limitsOf = (limits: LimitsByKey, actor: Actor): KeyLimits | undefined =>
  limits.size > 0 && actor.kind === "key" ? limits.get(actor.id) : undefined;

const hourOf = (at: Date): string => at.toISOString().slice(0, "2030-01-31T12".length);
const dayOf = (at: Date): string => at.toISOString().slice(0, "2030-01-31".length);

/** An order that was requested on the day before the limit was set is not held against it. */
const isCounted = ({ countedFrom }: KeyLimits, at: Date): boolean =>
  countedFrom !== undefined && dayOf(at) >= countedFrom;

function isTooFast(key: KeyLimits, totalMinor: bigint, hour: string): boolean {
  if (key.freezeAboveMinor === undefined || hour < (key.freezeFrom ?? "")) return false;
  return (key.spent.get(hour) ?? 0n) + totalMinor > key.freezeAboveMinor;
}

function spentOnDay({ spent }: KeyLimits, day: string): bigint {
  let sum = 0n;
  for (const [hour, minor] of spent) if (hour.startsWith(day)) sum += minor;
  return sum;
}

const refuse = (detail: string): Problem => new Problem("spend_limit_reached", detail);

const keyFrozen = (): Problem =>
  new Problem(
    "key_frozen",
    "The key is frozen because it spent far more than usual in an hour. No order was placed. An owner or the operator can unfreeze it.",
  );
