import sql from "sql-template-tag";
import type { Queryable } from "../../server/src/db/database.ts";
import { decodeGoods, type GoodsType, identityOf } from "../../server/src/suppliers/goods.ts";
import { deliveredPlace } from "../../server/src/vault/code-place.ts";
import type { TruePurchase } from "../../server/testing/upstream/fake-upstream.ts";
import type { Findings } from "../findings.ts";
import type { Recorder } from "../recorder.ts";
import { STOCK_CODE, STOCKED } from "../shopfront.ts";
import type { Upstream } from "../upstreams.ts";
import type { World } from "../world.ts";

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
  const attempts = await listAttempts(db);
  const purchases = upstreams.flatMap((upstream) => purchasesOf(upstream, attempts));
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
      row.productId === STOCKED
        ? STOCK_CODE.test(text)
        : buyers.some((reference) => reference.startsWith(`${unit}.`));
    if (!isSold) strange.push(`${unit} has a code that was sold for ${buyers.join(", ") || "no unit"}`);
  }
  return {
    "codes duplicated": [...doubled, ...findReadTwice(recorder), ...findBoughtTwice(purchases)],
    "codes lost or wrong": [
      ...strange,
      ...findUnread(recorder, texts),
      ...(await findMissingStock(db, stock)),
      ...findForgottenPurchases(attempts, purchases),
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

type Attempt = { supplierId: string; reference: string; status: string };

const listAttempts = (db: Queryable) =>
  db.rows<Attempt>(sql`
    select supplier_id as "supplierId", status,
           order_id || '.' || line_index || '.' || unit_index || '.' || number as reference from supplier_attempts`);

/** What a supplier sold, under our own references. One that it was never asked for keeps the supplier's. */
function purchasesOf(upstream: Upstream, attempts: readonly Attempt[]): TruePurchase[] {
  const ours = new Map(
    attempts
      .filter(({ supplierId }) => supplierId === upstream.supplierId)
      .map(({ reference }) => [upstream.keyOf(reference), reference]),
  );
  return upstream
    .purchases()
    .map((purchase) => ({ ...purchase, reference: ours.get(purchase.reference) ?? purchase.reference }));
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
function findForgottenPurchases(attempts: readonly Attempt[], purchases: readonly TruePurchase[]): string[] {
  const statuses = new Map(attempts.map(({ reference, status }) => [reference, status]));
  return purchases
    .filter((purchase) => isStanding(purchase) && !KNOWN.includes(statuses.get(purchase.reference) ?? ""))
    .map(({ reference }) => `${reference} was bought and is ${statuses.get(reference) ?? "unknown"} here`);
}

const KNOWN = ["delivered", "quarantined", "open"];

/** Paid for, or about to be. */
const isStanding = ({ state, paidMinor }: TruePurchase): boolean =>
  state === "completed" ? paidMinor > 0 : state !== "refunded" && state !== "failed";
