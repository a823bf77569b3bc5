import sql from "sql-template-tag";
import type { Queryable } from "../server/src/db/database.ts";
import { decodeGoods, type GoodsType, identityOf } from "../server/src/suppliers/goods.ts";
import { deliveredPlace } from "../server/src/vault/code-place.ts";
import type { TruePurchase } from "../server/testing/upstream/fake-upstream.ts";
import type { Findings } from "./findings.ts";
import type { Recorder } from "./recorder.ts";
import { BOUGHT, STOCK_CODE, STOCKED } from "./shopfront.ts";
import type { World } from "./world.ts";

type CodeRow = {
  id: string;
  orderId: string;
  lineIndex: number;
  unitIndex: number;
  productId: string;
  type: GoodsType;
  sealed: Buffer;
};

/** Opens every delivered live code: each exists once, as callers read it and as its supplier sold it. */
export async function findCodeFaults(
  { db, codeVault, upstreams }: World,
  recorder: Recorder,
  stock: number,
): Promise<Pick<Findings, "codes duplicated" | "codes lost or wrong">> {
  const rows = await db.rows<CodeRow>(sql`
    select id, order_id as "orderId", line_index as "lineIndex", unit_index as "unitIndex", product_id as "productId",
           type, sealed
    from codes where environment = 'live' and state = 'delivered'`);
  const purchases = upstreams.flatMap((upstream) => upstream.purchases());
  // A supplier can sell a code twice; the second one goes to quarantine.
  const sold = Map.groupBy(purchases, ({ code }) => code ?? "");
  const seen = new Map<string, string>();
  const texts = new Map<string, string>();
  const doubled: string[] = [];
  const strange: string[] = [];
  for (const row of rows) {
    const plain = codeVault.open(deliveredPlace(row, row.productId), row.sealed);
    const text = identityOf(decodeGoods(row.type, plain, null)) ?? "";
    const unit = `${row.orderId}.${row.lineIndex}.${row.unitIndex}`;
    if (seen.has(text)) doubled.push(`${unit} has the code of ${seen.get(text)}`);
    seen.set(text, unit);
    texts.set(`${row.orderId} ${row.id}`, text);
    const buyers = sold.get(text)?.map(({ reference }) => reference) ?? [];
    const isSold =
      row.productId === BOUGHT
        ? buyers.some((reference) => reference.startsWith(`${unit}.`))
        : STOCK_CODE.test(text);
    if (!isSold) strange.push(`${unit} has a code that was sold for ${buyers.join(", ") || "no unit"}`);
  }
  return {
    "codes duplicated": [...doubled, ...findReadTwice(recorder), ...findBoughtTwice(purchases)],
    "codes lost or wrong": [
      ...strange,
      ...findUnread(recorder, texts),
      ...(await findMissingStock(db, stock)),
      ...(await findForgottenPurchases(db, purchases)),
    ],
  };
}

/** No code was read under two orders. */
function findReadTwice({ codes }: Recorder): string[] {
  const owners = new Map<string, string>();
  return [...codes].flatMap(([orderId, read]) =>
    [...read.values()].flatMap((code) => {
      const other = owners.get(code);
      owners.set(code, orderId);
      return other === undefined ? [] : [`one code was read under ${other} and ${orderId}`];
    }),
  );
}

/** Codes that a caller read still exist and are the same. Sandbox codes are not sealed and are compared elsewhere. */
const findUnread = ({ codes }: Recorder, texts: ReadonlyMap<string, string>): string[] =>
  [...codes].flatMap(([orderId, read]) =>
    [...read]
      .filter(([id, code]) => !code.startsWith("TEST-") && texts.get(`${orderId} ${id}`) !== code)
      .map(([id]) => `${id} of ${orderId} was read and is now a different code, or gone`),
  );

async function findMissingStock(db: Queryable, stock: number): Promise<string[]> {
  const [row] = await db.rows<{ count: number }>(
    sql`select count(*)::integer as count from codes where product_id = ${STOCKED} and environment = 'live'`,
  );
  return row?.count === stock ? [] : [`${stock} codes were imported, and ${row?.count} are there`];
}

/** Valid purchases at all suppliers together: at most one per unit. */
function findBoughtTwice(purchases: readonly TruePurchase[]): string[] {
  const units = new Map<string, string>();
  return purchases.filter(isStanding).flatMap(({ reference }) => {
    const unit = reference.replace(/\.\d+$/, "");
    const other = units.get(unit);
    units.set(unit, reference);
    return other === undefined ? [] : [`${unit} was bought as ${other} and as ${reference}`];
  });
}

/** Each purchase is known here: delivered, in quarantine, or still open. */
async function findForgottenPurchases(db: Queryable, purchases: readonly TruePurchase[]): Promise<string[]> {
  const rows = await db.rows<{ reference: string }>(sql`
    select order_id || '.' || line_index || '.' || unit_index || '.' || number as reference from supplier_attempts
    where status in ('delivered', 'quarantined', 'open')`);
  const known = new Set(rows.map(({ reference }) => reference));
  return purchases
    .filter((purchase) => isStanding(purchase) && !known.has(purchase.reference))
    .map(({ reference }) => `${reference} was bought and is not known here`);
}

const isStanding = ({ state }: TruePurchase): boolean => state !== "refunded" && state !== "failed";
