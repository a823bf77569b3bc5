import { type By, recordActivity } from "../../activity/record-activity.ts";
import { importRows } from "../../catalog/files/import-catalog.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { parseAmount } from "../../lib/money.ts";
import type { Json } from "../../lib/strict-json.ts";
import type { Keyring } from "../../vault/keyring.ts";
import { oddRow } from "../calls/checked-reading.ts";
import { withSupplier } from "../calls/test-supplier.ts";
import { getSupplier } from "../get-supplier.ts";
import { refreshSupply } from "../refresh-supply.ts";
import { getRemoteKind } from "../registry.ts";
import { mergeRoutes, type RouteRow } from "../route-queries.ts";
import type { OfferRow } from "../supplier.ts";
import { compareCatalog, itemIdOf, type SyncItem, type SyncProposal } from "./compare-catalog.ts";
import { createNames, type Renames, renameItems } from "./name-products.ts";
import {
  deleteRoutes,
  findSync,
  listPresentIds,
  listSupplierRoutes,
  storeSupplierItems,
  storeSync,
} from "./sync-queries.ts";

export type SyncDeps = { db: Db; clock: Clock; keyring: Keyring };

const OFFERS_MAX = 200_000;
/** What was seen longer ago may no longer be true. */
const APPLY_WITHIN_MS = 24 * 3_600_000;
const NEW_PRIORITY = 100;

export type SyncWatch = {
  /** New ids of proposed products, by their items. */
  renames?: Renames | undefined;
  /** How many offers were read so far. */
  onRead?: (offers: number) => void;
  /** Runs in the transaction that keeps the proposal. */
  finish?: (tx: Tx, proposal: SyncProposal) => Promise<void>;
};

/**
 * Reads the supplier's catalog and proposes what to change. The proposal is kept, so that what was seen can be applied. What cannot be
 * read costs its row: it is listed, and its routes stay.
 */
export async function proposeSync(
  deps: SyncDeps,
  supplierId: string,
  { renames = new Map(), onRead, finish }: SyncWatch = {},
): Promise<SyncProposal & { proposedAt: Date }> {
  const { db, clock } = deps;
  const { kind, name } = await getSupplier(db, supplierId);
  if (!getRemoteKind(kind).canSyncCatalog)
    throw new RangeError(
      `the catalog of a ${kind} supplier cannot be read; import products and routes instead`,
    );
  const rows = await withSupplier(deps, supplierId, async (supplier) => {
    const read: OfferRow[] = [];
    for await (const page of supplier.listOffers?.() ?? []) {
      read.push(...page);
      onRead?.(read.length);
      if (read.length <= OFFERS_MAX) continue;
      const from = read.slice(OFFERS_MAX).find((row) => "sku" in row)?.sku;
      const reason = `are more than ${OFFERS_MAX}; those from ${from ?? "there"} on were not read`;
      return [...read.slice(0, OFFERS_MAX), oddRow(undefined, "products", reason)];
    }
    return read;
  });
  const nameProduct = await createNames(db, { id: supplierId, kind, name });
  const compared = compareCatalog(rows, await listSupplierRoutes(db, supplierId), nameProduct);
  const items = await renameItems(db, compared.items, renames);
  const proposal = { ...compared, items };
  const proposedAt = clock.now();
  await db.transaction(async (tx) => {
    await storeSync(tx, supplierId, proposal, proposedAt);
    await finish?.(tx, proposal);
  });
  return { ...proposal, proposedAt };
}

export type AppliedSync = { new: number; gone: number; repriced: number; skipped: number };

export type SyncChoice = {
  /** Kinds of changes (new, gone, repriced) or ids of items. Absent means all. */
  only?: readonly string[] | undefined;
  renames?: Renames | undefined;
  /** When the proposal was made that the person saw. */
  seenAt?: Date | undefined;
};

/**
 * Applies the proposal that was seen last, or the chosen part of it, in one transaction. A route that has changed since is
 * skipped, and so is a new product whose id was given away meanwhile. A product that came from the item before keeps its own text.
 */
export async function applySync(
  { db, clock }: Pick<SyncDeps, "db" | "clock">,
  supplierId: string,
  { only, renames = new Map(), seenAt }: SyncChoice,
  by: By,
): Promise<AppliedSync> {
  await getSupplier(db, supplierId);
  const seen = await findSync(db, supplierId);
  if (!seen || clock.now().getTime() - seen.proposedAt.getTime() > APPLY_WITHIN_MS)
    throw new RangeError(
      "there is no proposal of the last 24 hours to apply; read the catalog first (scrip supplier sync)",
    );
  if (seenAt && seenAt.getTime() !== seen.proposedAt.getTime())
    throw new RangeError("the catalog was read again since this page was opened; look at the changes first");
  const items = await renameItems(db, seen.items, renames);
  const wanted = chooseItems(items, only);
  const present = await listPresentIds(db, productIdsOf(wanted));
  const chosen = wanted.filter(
    (item) => item.change !== "new" || item.isKnown || !present.has(item.product.id),
  );
  const created = chosen.flatMap((item) =>
    item.change === "new" && !present.has(item.product.id) ? [item.product] : [],
  );
  let applied: AppliedSync = { new: 0, gone: 0, repriced: 0, skipped: 0 };
  const finish = async (tx: Tx) => {
    applied = await changeRoutes(tx, supplierId, chosen, clock.now());
    applied.skipped += wanted.length - chosen.length;
    const done = new Set(wanted);
    const left = items.filter((item) => !done.has(item));
    const unchanged = seen.unchanged + applied.new + applied.repriced;
    await storeSync(tx, supplierId, { ...seen, items: left, unchanged }, seen.proposedAt);
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
  const names = new Set(only);
  const known = new Set(["new", "gone", "repriced", ...items.map(({ id }) => id)]);
  const unknown = only.find((name) => !known.has(name));
  if (unknown !== undefined) throw new RangeError(`the proposal has no "${unknown}"; read the catalog again`);
  return items.filter(({ id, change }) => names.has(change) || names.has(id));
}

/** What the proposal has was checked when it was made. The catalog can have changed since, so nothing is overwritten. */
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
    async onChanges(_tx, { created }) {
      if (created < products.length)
        throw new RangeError("the catalog has changed meanwhile and nothing was applied; apply it again");
    },
    inTransaction: finish,
  });
  if (!result.ok)
    throw new RangeError(`nothing was applied: ${faults.slice(0, 5).join("; ")}; read the catalog again`);
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
  const made: { id: string; productId: string }[] = [];
  for (const item of items) {
    const route = present.get(item.route.productId);
    if (isStale(item, route)) {
      counts.skipped += 1;
      continue;
    }
    counts[item.change] += 1;
    if (item.change === "new") made.push({ id: item.id, productId: item.product.id });
    if (item.change === "gone") gone.push(item.route.productId);
    else merged.push(toRoute(supplierId, item, route));
  }
  if (gone.length > 0) await deleteRoutes(tx, supplierId, gone);
  if (merged.length > 0) await mergeRoutes(tx, merged, now, true);
  if (made.length > 0) await storeSupplierItems(tx, supplierId, made);
  return counts;
}

/** Whether the route is no longer the one that the person saw. */
function isStale(item: SyncItem, route: RouteRow | undefined): boolean {
  if (item.change === "new") return route !== undefined;
  if (!route || itemIdOf(route) !== item.id) return true;
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
