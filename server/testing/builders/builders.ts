import sql from "sql-template-tag";
import type { Supply } from "../../src/catalog/queries.ts";
import type { Queryable } from "../../src/db/database.ts";
import type { Tenant } from "../../src/http/caller.ts";

export type ProductSeed = {
  id: string;
  name?: string;
  active?: boolean;
  hidden?: boolean;
  bonus?: string;
  inputFields?: readonly object[];
  /** Live availability. Available by default. */
  supply?: Supply;
  faceValue?: { amount: string; currency: string; unit: string; isMoney: boolean };
};

/** Inserts products directly into the table. */
export async function addProducts(db: Queryable, products: readonly ProductSeed[]): Promise<void> {
  const rows = products.map((product) => ({
    id: product.id,
    name: product.name ?? `Product ${product.id}`,
    face_value_amount: product.faceValue?.amount ?? "25.00",
    face_value_currency: product.faceValue?.currency ?? "USD",
    face_value_unit: product.faceValue?.unit ?? "USD",
    face_value_is_money: product.faceValue?.isMoney ?? true,
    bonus: product.bonus ?? "",
    input_fields: product.inputFields ?? [],
    active: product.active ?? true,
    hidden: product.hidden ?? false,
  }));
  await db.rows(sql`
    insert into products (id, name, face_value_amount, face_value_currency, face_value_unit, face_value_is_money, bonus,
                          input_fields, active, hidden)
    select id, name, face_value_amount, face_value_currency, face_value_unit, face_value_is_money, bonus, input_fields,
           active, hidden
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as seed (
      id text, name text, face_value_amount text, face_value_currency text, face_value_unit text,
      face_value_is_money boolean, bonus text, input_fields jsonb, active boolean, hidden boolean)`);
  for (const state of ["empty", "available"] as const) {
    const ids = products.filter(({ supply = "available" }) => supply === state).map(({ id }) => id);
    if (ids.length > 0) await setSupply(db, ids, state);
  }
}

/** Sets the live availability of products without a supplier. */
export async function setSupply(db: Queryable, ids: readonly string[], supply: Supply): Promise<void> {
  if (supply === "none") {
    await db.rows(sql`delete from product_supply where product_id = any(${ids})`);
    return;
  }
  await db.rows(sql`
    insert into product_supply (product_id, state) select id, ${supply} from unnest(${ids}::text[]) id
    on conflict (product_id) do update set state = excluded.state`);
}

export const addListPrice = (
  db: Queryable,
  price: {
    productId: string;
    amountMinor: bigint;
    strikeMinor?: bigint;
    priceList?: string;
    currency?: string;
  },
) =>
  db.rows(sql`
    insert into list_prices (product_id, price_list, currency, amount_minor, strike_minor)
    values (${price.productId}, ${price.priceList ?? "standard"}, ${price.currency ?? "USD"}, ${price.amountMinor},
            ${price.strikeMinor ?? null})`);

/** Inserts an order of one line directly into the tables, without its money. */
export async function addOrder(db: Queryable, order: Tenant & { id: string; at?: Date }): Promise<void> {
  const { at = new Date() } = order;
  await db.rows(sql`
    insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, total_minor, currency, key_id,
                        created_at, updated_at)
    values (${order.id}, ${order.resellerId}, ${order.environment}, ${order.id}, sha256(''), 100, 'USD', 'key', ${at}, ${at})`);
  await db.rows(sql`
    insert into order_lines (order_id, line_index, reseller_id, environment, product_id, name, unit_price_minor,
                             quantity, line_total_minor)
    values (${order.id}, 0, ${order.resellerId}, ${order.environment}, 'card', 'Card', 100, 1, 100)`);
}
