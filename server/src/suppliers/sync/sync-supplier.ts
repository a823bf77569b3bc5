import { type By, recordActivity } from "../../activity/record-activity.ts";
import { importRows } from "../../catalog/files/import-catalog.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { parseAmount } from "../../lib/money.ts";
import type { Json } from "../../lib/strict-json.ts";
import type { Keyring } from "../../vault/keyring.ts";
import { withSupplier } from "../calls/test-supplier.ts";
import { getSupplier } from "../get-supplier.ts";
import { refreshSupply } from "../refresh-supply.ts";
import { getRemoteKind } from "../registry.ts";
import { mergeRoutes, type RouteRow } from "../route-queries.ts";
import type { SupplierOffer } from "../supplier.ts";
import { compareCatalog, itemId, type SyncItem, type SyncProposal } from "./compare-catalog.ts";
import { deleteRoutes, findSync, listPresentIds, listSupplierRoutes, storeSync } from "./sync-queries.ts";

export type SyncDeps = { db: Db; clock: Clock; keyring: Keyring };

const OFFERS_MAX = 200_000;
/** What was seen longer ago may no longer be true. */
const APPLY_WITHIN_MS = 24 * 3_600_000;
const NEW_PRIORITY = 100;

export type SyncWatch = {
  /** How many offers were read so far. */
  onRead?: (offers: number) => void;
  /** Runs in the transaction that keeps the proposal. */
  finish?: (tx: Tx, proposal: SyncProposal) => Promise<void>;
};

/** Reads the supplier's catalog and proposes what to change. The proposal is kept, so that what was seen can be applied. */
export async function proposeSync(
  deps: SyncDeps,
  supplierId: string,
  { onRead, finish }: SyncWatch = {},
): Promise<SyncProposal & { proposedAt: Date }> {
  const { kind } = await getSupplier(deps.db, supplierId);
  if (!getRemoteKind(kind).canSyncCatalog)
    throw new RangeError(
      `the catalog of a ${kind} supplier cannot be read; import products and routes instead`,
    );
  const offers = await withSupplier(deps, supplierId, async (supplier) => {
    const read: SupplierOffer[] = [];
    for await (const page of supplier.listOffers?.() ?? []) {
      read.push(...page);
      onRead?.(read.length);
      if (read.length > OFFERS_MAX) throw new RangeError(`the supplier has more than ${OFFERS_MAX} products`);
    }
    return read;
  });
  const proposal = compareCatalog(kind, offers, await listSupplierRoutes(deps.db, supplierId));
  const proposedAt = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    await storeSync(tx, supplierId, proposal.items, proposedAt);
    await finish?.(tx, proposal);
  });
  return { ...proposal, proposedAt };
}

export type AppliedSync = { new: number; gone: number; repriced: number; skipped: number };

/**
 * Applies the proposal that was seen last, or the chosen part of it, in one transaction. A route that has changed since is
 * skipped. A product that is there already keeps its own text.
 */
export async function applySync(
  { db, clock }: Pick<SyncDeps, "db" | "clock">,
  supplierId: string,
  only: readonly string[] | undefined,
  by: By,
): Promise<AppliedSync> {
  await getSupplier(db, supplierId);
  const seen = await findSync(db, supplierId);
  if (!seen || clock.now().getTime() - seen.proposedAt.getTime() > APPLY_WITHIN_MS)
    throw new RangeError(
      `there is no proposal of the last 24 hours to apply; first run: scrip supplier sync ${supplierId}`,
    );
  const chosen = chooseItems(seen.items, only);
  const present = await listPresentIds(db, productIdsOf(chosen));
  const created = chosen.flatMap((item) =>
    item.change === "new" && !present.has(item.product.id) ? [item.product] : [],
  );
  let applied: AppliedSync = { new: 0, gone: 0, repriced: 0, skipped: 0 };
  const finish = async (tx: Tx) => {
    applied = await changeRoutes(tx, supplierId, chosen, clock.now());
    await storeSync(
      tx,
      supplierId,
      seen.items.filter((item) => !chosen.includes(item)),
      seen.proposedAt,
    );
    await recordActivity(tx, clock, {
      ...by,
      action: "supplier.catalog_synced",
      object: { kind: "supplier", id: supplierId },
      after: { ...applied },
    });
  };
  if (created.length === 0) await db.transaction(finish);
  else await importProducts(db, created, finish);
  await refreshSupply(db, productIdsOf(chosen), clock.now());
  return applied;
}

const productIdsOf = (items: readonly SyncItem[]): string[] => items.map(({ route }) => route.productId);

/** `only` names kinds of changes (new, gone, repriced) or ids of items. */
export function chooseItems(items: readonly SyncItem[], only: readonly string[] | undefined): SyncItem[] {
  if (!only) return [...items];
  const unknown = only.filter(
    (name) => !["new", "gone", "repriced"].includes(name) && !items.some(({ id }) => id === name),
  );
  if (unknown.length > 0)
    throw new RangeError(`the proposal has no "${unknown[0]}"; see: scrip supplier sync`);
  return items.filter(({ id, change }) => only.includes(change) || only.includes(id));
}

async function importProducts(
  db: Db,
  products: readonly object[],
  finish: (tx: Tx) => Promise<void>,
): Promise<void> {
  const faults: string[] = [];
  async function* rows() {
    for (const [index, product] of products.entries()) yield { line: index + 1, value: product as Json };
  }
  const result = await importRows(db, rows(), {
    onFault: ({ id, reason }) => faults.push(`${id ?? "a product"}: ${reason}`),
    inTransaction: finish,
  });
  if (!result.ok)
    throw new RangeError(
      `nothing was applied: ${faults.slice(0, 5).join("; ")}; leave such items out with --only`,
    );
}

async function changeRoutes(
  tx: Tx,
  supplierId: string,
  items: readonly SyncItem[],
  now: Date,
): Promise<AppliedSync> {
  const present = new Map(
    (await listSupplierRoutes(tx, supplierId)).map((route) => [route.productId, route]),
  );
  const gone: string[] = [];
  const merged: RouteRow[] = [];
  const counts = { new: 0, gone: 0, repriced: 0, skipped: 0 };
  for (const item of items) {
    const route = present.get(item.route.productId);
    if (isStale(item, route)) {
      counts.skipped += 1;
      continue;
    }
    counts[item.change] += 1;
    if (item.change === "gone") gone.push(item.route.productId);
    else merged.push(toRoute(supplierId, item, route));
  }
  if (gone.length > 0) await deleteRoutes(tx, supplierId, gone);
  if (merged.length > 0) await mergeRoutes(tx, merged, now, true);
  return counts;
}

/** Whether the route is no longer the one that the person saw. */
function isStale(item: SyncItem, route: RouteRow | undefined): boolean {
  if (item.change === "new") return route !== undefined;
  if (!route || itemId(route.sku, route.value ?? undefined) !== item.id) return true;
  const seen = item.change === "gone" ? item.route : item.was;
  const minor = seen.cost === undefined ? null : parseAmount(seen.cost, seen.currency ?? "");
  return route.costMinor !== minor || route.costCurrency !== (seen.currency ?? null);
}

function toRoute(
  supplierId: string,
  { route: { productId, sku, value, cost = "0", currency = "" } }: SyncItem,
  present: RouteRow | undefined,
): RouteRow {
  const costMinor = parseAmount(cost, currency);
  const max = present?.costCurrency === currency ? present.maxCostMinor : null;
  return {
    ...{ productId, supplierId, sku, value: value ?? null, fieldMap: present?.fieldMap ?? null },
    priority: present?.priority ?? NEW_PRIORITY,
    ...{ costMinor, costCurrency: currency },
    // A maximum below the new cost was meant for the old one.
    maxCostMinor: max !== null && max < costMinor ? null : max,
  };
}
