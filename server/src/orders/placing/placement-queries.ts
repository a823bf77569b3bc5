import sql from "sql-template-tag";
import { toBinaryArray } from "../../db/binary-arrays.ts";
import { arrayParameter } from "../../db/column-arrays.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import type { NamedStatement } from "../../db/joined-query.ts";
import type { Tenant } from "../../http/caller.ts";
import type { KeyLimits } from "../../keys/limits/decide-limits.ts";
import type { WalletHead } from "../../wallet/entry.ts";
import {
  type BoundOrder,
  bindingKey,
  type Placement,
  type PlacementState,
  walletKey,
} from "./decide-placements.ts";

/** What `begin_placement_batch` returns. Amounts are text, because a number in JSON would pass through a float. */
type StateJson = {
  wallets: WalletJson[] | null;
  bound: BoundJson[] | null;
  /** Both as `livingKey` writes them. */
  livingKeys: string[] | null;
  otherActors: string[] | null;
  revisions: Record<string, string> | null;
  limits: LimitsJson[] | null;
  atMs: number;
};
type LimitsJson = {
  id: string;
  maxOrderMinor: string | null;
  maxDayMinor: string | null;
  velocityTimes: number | null;
  usualHourMinor: string | null;
  freezeFrom: string | null;
  isFrozen: boolean;
  countedFrom: string | null;
  spent: Record<string, string> | null;
};
type WalletJson = Tenant & {
  currency: string;
  balanceMinor: string;
  sequence: string;
  hash: string;
  lastEntryAtMs: number;
  fence: string;
};
type BoundJson = {
  binding: string;
  id: string;
  status: BoundOrder["status"];
  totalMinor: string;
  currency: string;
  fingerprint: string;
};

const BEGIN = `
  select begin_placement_batch(
    ${[1, 2, 3, 4, 5, 6].map((parameter) => arrayParameter(parameter, "text")).join(", ")}, $7, $8::integer, $9) as state`;

/** Locks the wallets of a batch and reads, in a later statement, what its decisions depend on. */
export function beginPlacements(
  placements: readonly Placement[],
  now: Date,
  lockTimeoutMs: number,
): NamedStatement {
  const wallets = distinctTenants(placements);
  const actors = distinctActors(placements);
  const values = [
    toBinaryArray("text", wallets, (one) => one.resellerId),
    toBinaryArray("text", wallets, (one) => one.environment),
    toBinaryArray("text", placements, (one) => bindingKey(one, one.idempotencyKey)),
    toBinaryArray("text", actors, (one) => one.actor.kind),
    toBinaryArray("text", actors, (one) => one.actor.id),
    toBinaryArray("text", actors, (one) => one.resellerId),
    now.toISOString(),
    String(lockTimeoutMs),
    startOfDay(placements).toISOString(),
  ];
  return { name: "begin-placements", text: BEGIN, values };
}

/** What `beginPlacements` answers. */
export type StateRow = { state: StateJson };

export function toState([row]: readonly StateRow[]): PlacementState {
  if (!row) throw new Error("failed to begin the placements");
  const { wallets, bound, livingKeys, otherActors, revisions, limits, atMs } = row.state;
  return {
    wallets: new Map((wallets ?? []).map((one) => [walletKey(one), toHead(one)])),
    fences: new Map((wallets ?? []).map((one) => [walletKey(one), one.fence])),
    atMs,
    bound: new Map((bound ?? []).map((one) => [one.binding, toBound(one)])),
    living: new Set([...(livingKeys ?? []), ...(otherActors ?? [])]),
    revisions: new Map(Object.entries(revisions ?? {})),
    limits: new Map((limits ?? []).map((one) => [one.id, toLimits(one)])),
  };
}

const DAY_MS = 86_400_000;

/** The UTC day of the oldest placement. One that waited over midnight counts for the day on which it was requested. */
function startOfDay(placements: readonly Placement[]): Date {
  const oldestMs = placements.reduce((oldest, one) => Math.min(oldest, one.createdAt.getTime()), Infinity);
  return new Date(Math.floor(oldestMs / DAY_MS) * DAY_MS);
}

/** One placement for each wallet. Like actors: compared by id first, and a duplicate does no harm. */
function distinctTenants(placements: readonly Placement[]): Placement[] {
  const seen = new Map<string, Placement>();
  return placements.filter((one) => {
    const before = seen.get(one.resellerId);
    seen.set(one.resellerId, one);
    return before?.environment !== one.environment;
  });
}

/** One placement for each actor. Compared by id first, because that is cheapest; a duplicate actor does no harm. */
export function distinctActors(placements: readonly Placement[]): Placement[] {
  const seen = new Map<string, Placement>();
  return placements.filter((one) => {
    const before = seen.get(one.actor.id);
    seen.set(one.actor.id, one);
    return before?.actor.kind !== one.actor.kind || before.resellerId !== one.resellerId;
  });
}

/** The wallets of a batch that are not locked at this moment. */
export async function findFreeWallets(
  db: Queryable,
  placements: readonly Placement[],
): Promise<ReadonlySet<string>> {
  const rows = await db.rows<Tenant>(sql`
    select w.reseller_id as "resellerId", w.environment
    from wallets w
    join unnest(
      ${placements.map((one) => one.resellerId)}::text[], ${placements.map((one) => one.environment)}::text[]
    ) as asked (reseller_id, environment)
      on w.reseller_id = asked.reseller_id and w.environment = asked.environment
    for update of w skip locked`);
  return new Set(rows.map(walletKey));
}

/** What any process has decided ahead about these locked wallets is not confirmed from now on. */
export const fenceWallets = (tx: Tx, tenants: readonly Tenant[]) =>
  tx.rows(sql`
    update wallets w set fence = w.fence + 1
    from (select distinct * from unnest(
      ${tenants.map((one) => one.resellerId)}::text[], ${tenants.map((one) => one.environment)}::text[]
    ) as one (reseller_id, environment)) asked
    where w.reseller_id = asked.reseller_id and w.environment = asked.environment`);

/** Keys that a batch freezes, in the order of their ids. */
export const freezeKeys = (tx: Tx, ids: readonly string[], now: Date) =>
  tx.rows(sql`
    update api_keys k set frozen_at = ${now}
    from (select id from api_keys where id = any(${ids}::text[]) and frozen_at is null order by id for update) one
    where k.id = one.id`);

const toHead = (wallet: WalletJson): WalletHead => ({
  resellerId: wallet.resellerId,
  environment: wallet.environment,
  currency: wallet.currency,
  balanceMinor: BigInt(wallet.balanceMinor),
  sequence: BigInt(wallet.sequence),
  hash: Buffer.from(wallet.hash, "hex"),
  lastEntryAt: new Date(wallet.lastEntryAtMs),
});

const toLimits = (row: LimitsJson): KeyLimits => ({
  maxOrderMinor: amountOf(row.maxOrderMinor),
  maxDayMinor: amountOf(row.maxDayMinor),
  freezeAboveMinor:
    row.velocityTimes === null || row.usualHourMinor === null
      ? undefined
      : BigInt(row.velocityTimes) * BigInt(row.usualHourMinor),
  freezeFrom: row.freezeFrom ?? undefined,
  isFrozen: row.isFrozen,
  countedFrom: row.countedFrom ?? undefined,
  spent: new Map(Object.entries(row.spent ?? {}).map(([hour, minor]) => [hour, BigInt(minor)])),
});

const amountOf = (text: string | null): bigint | undefined => (text === null ? undefined : BigInt(text));

const toBound = ({ id, status, totalMinor, currency, fingerprint }: BoundJson): BoundOrder => ({
  id,
  status,
  totalMinor: BigInt(totalMinor),
  currency,
  fingerprint: Buffer.from(fingerprint, "hex"),
});
