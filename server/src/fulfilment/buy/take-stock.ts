import sql, { empty, type Sql } from "sql-template-tag";
import type { Db, QueryOptions, Tx } from "../../db/database.ts";
import { errorCodeOf } from "../../db/database-errors.ts";
import { deliveredPlace, stockPlace } from "../../vault/code-place.ts";
import type { CodeVault } from "../../vault/code-vault.ts";
import { KEY_NOT_AT_HAND, SealError } from "../../vault/seal.ts";
import { createPacer } from "../../work/pace.ts";
import { inVault, type RecipientKey, type StoredSeal, sealToReseller } from "../sealing/seal-to-reseller.ts";
import { type Settlement, stockText } from "../settle/decide-settlement.ts";

export type StockNeed = { productId: string; supplierId: string; count: number };
export type PickedCode = { id: string; productId: string; supplierId: string; sealed: Buffer } & Cost;
/** What a code of a batch cost. */
type Cost = { costMinor: bigint | null; costCurrency: string | null };

/**
 * Locks as many codes as are needed, or as there are, those that expire first at first. Locked codes are skipped. Only if the
 * others are too few does it wait for them, because another transaction may return them or only rewrap them.
 *
 * A transaction that waits holds only codes that come before the one it waits for, in one global order: two that both held
 * some of the last codes would deadlock. So the codes of the first pass are released first. PostgreSQL can still wait in the
 * first pass, for a row that was locked when it was read and whose new version another transaction has locked since. If that
 * deadlocks, the transaction that gets the error releases everything and waits in order.
 */
export async function pickStock(tx: Tx, needs: readonly StockNeed[], now: Date): Promise<PickedCode[]> {
  const wanted = needs.reduce((sum, need) => sum + need.count, 0);
  const inOrder = needs.toSorted((one, other) => (needText(one) < needText(other) ? -1 : 1));
  await tx.rows(sql`savepoint picking`);
  for (let tries = 1; ; tries += 1) {
    try {
      if (tries > 1) return await lockStock(tx, inOrder, now, empty);
      const free = await lockStock(tx, needs, now, sql`skip locked`);
      if (free.length === wanted) return free;
    } catch (error) {
      if (errorCodeOf(error) !== DEADLOCK || tries === PICKS_MAX) throw error;
    }
    await tx.rows(sql`rollback to savepoint picking`);
  }
}

/** Locks codes that nobody else holds, as many as are needed or as there are. */
export const pickFree = (tx: Tx, needs: readonly StockNeed[], now: Date): Promise<PickedCode[]> =>
  lockStock(tx, needs, now, sql`skip locked`, { name: "pick-free-stock" });

const DEADLOCK = "40P01";
const PICKS_MAX = 5;

const needText = ({ productId, supplierId }: StockNeed): string => stockText(productId, supplierId);

const lockStock = (
  tx: Tx,
  needs: readonly StockNeed[],
  now: Date,
  whenLocked: Sql,
  options: QueryOptions = {},
) =>
  tx.rows<PickedCode>(
    sql`
      select c.id, need.product_id as "productId", need.supplier_id as "supplierId", c.sealed,
             b.cost_minor as "costMinor", b.cost_currency as "costCurrency"
      from unnest(
        ${needs.map((need) => need.productId)}::text[], ${needs.map((need) => need.supplierId)}::text[],
        ${needs.map((need) => need.count)}::integer[]
      ) as need (product_id, supplier_id, count)
      cross join lateral (
        select id, sealed, batch_id from codes
        where product_id = need.product_id and supplier_id = need.supplier_id and state = 'stock'
          and not withdraw_on_return
          and (expires_at is null or expires_at > ${now})
        order by product_id, supplier_id, expires_at, id
        limit need.count
        for update ${whenLocked}
      ) c
      left join stock_batches b on b.id = c.batch_id`,
    options,
  );

/** Picked codes by product and supplier. */
export const groupPicked = (picked: readonly PickedCode[]): Map<string, string[]> => {
  const groups = new Map<string, string[]>();
  for (const { id, productId, supplierId } of picked) {
    const key = stockText(productId, supplierId);
    const ids = groups.get(key);
    if (ids) ids.push(id);
    else groups.set(key, [id]);
  }
  return groups;
};

/** A code costs what its batch cost. Where that is not known, it costs what the route says. */
export const atBatchCost = <Route extends Cost>(route: Route, code: Cost | undefined): Route =>
  !code || code.costMinor === null
    ? route
    : { ...route, costMinor: code.costMinor, costCurrency: code.costCurrency };

/** A code in stock that does not open: it was changed, or belongs elsewhere. */
export class DamagedCode extends Error {
  readonly codeId: string;
  constructor(codeId: string, cause: unknown) {
    super(`the code ${codeId} does not open`, { cause });
    this.name = "DamagedCode";
    this.codeId = codeId;
  }
}

/**
 * Seals picked codes for their units: to their resellers, or under the master key. They no longer open as stock, and nothing
 * is left under the master key of a code that was sealed to a reseller. Sealing to a reseller takes most of a millisecond, so
 * other work runs in between.
 */
export async function sealForUnits<Taken extends Settlement["codesTaken"][number]>(
  vault: CodeVault,
  picked: readonly PickedCode[],
  taken: readonly Taken[],
  recipients: ReadonlyMap<string, RecipientKey>,
): Promise<(Taken & StoredSeal)[]> {
  const sealedById = new Map(picked.map((code) => [code.id, code.sealed]));
  const pacer = createPacer();
  const sealed: (Taken & StoredSeal)[] = [];
  for (const code of taken) {
    if (pacer.isDue()) await pacer.pause();
    const plain = openStock(vault, code, sealedById.get(code.id) ?? Buffer.alloc(0));
    const recipient = recipients.get(code.orderId);
    const seal = recipient
      ? sealToReseller(recipient, code, plain)
      : inVault(vault.seal(deliveredPlace(code, code.productId), plain));
    sealed.push({ ...code, ...seal });
  }
  return sealed;
}

function openStock(
  vault: CodeVault,
  { id, productId }: { id: string; productId: string },
  sealed: Buffer,
): Buffer {
  try {
    return vault.open(stockPlace(id, productId), sealed);
  } catch (error) {
    // Without its master key no code opens, but none is damaged.
    if (error instanceof SealError && error.message !== KEY_NOT_AT_HAND) throw new DamagedCode(id, error);
    throw error;
  }
}

/** Takes a damaged code out of stock, so that it blocks nothing. */
export const setDamagedAside = (db: Db, codeId: string) =>
  db.rows(sql`update codes set state = 'damaged' where id = ${codeId} and state = 'stock'`);
