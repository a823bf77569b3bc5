import sql from "sql-template-tag";
import type { Queryable } from "../../server/src/db/database.ts";
import { call } from "../call.ts";
import type { Findings } from "../findings.ts";
import type { Recorder } from "../recorder.ts";
import { type Account, PAYMENT_NOTE, PRICE_MINOR } from "../shopfront.ts";
import type { World } from "../world.ts";

type OrderRow = {
  id: string;
  binding: string;
  totalMinor: bigint;
  refundedMinor: bigint;
  lines: { productId: string; quantity: number; unitPriceMinor: number }[];
};

/** Every acknowledged order exists as it was requested, and no other order exists. */
export async function findOrderFaults(
  db: Queryable,
  { wanted, refunded }: Recorder,
): Promise<Pick<Findings, "orders lost" | "orders duplicated, unexpected or wrong">> {
  const rows = await db.rows<OrderRow>(sql`
    select id, reseller_id || ' ' || environment || ' ' || idempotency_key as binding, total_minor as "totalMinor",
           refunded_minor as "refundedMinor",
           (select json_agg(json_build_object('productId', l.product_id, 'quantity', l.quantity, 'unitPriceMinor',
                                              l.unit_price_minor)) from order_lines l where l.order_id = orders.id) as lines
    from orders`);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const told = new Map<string, string>();
  const lost: string[] = [];
  const strange: string[] = [];
  for (const order of wanted.values()) {
    if (!order.told) continue;
    const binding = `${order.resellerId} ${order.environment} ${order.idempotencyKey}`;
    told.set(binding, order.told.id);
    const row = byId.get(order.told.id);
    if (row?.binding !== binding) lost.push(`${order.told.id} of ${binding}`);
    else if (!isAsWanted(row, order, order.told.totalMinor))
      strange.push(`${row.id} is not what ${binding} wanted`);
  }
  for (const id of refunded) if (byId.get(id)?.refundedMinor === 0n) lost.push(`the refund of ${id}`);
  const untold = rows.filter(({ binding, id }) => told.get(binding) !== id);
  strange.push(...untold.map(({ id, binding }) => `${id} of ${binding} was never acknowledged`));
  return { "orders lost": lost, "orders duplicated, unexpected or wrong": strange };
}

function isAsWanted(
  { totalMinor, lines }: OrderRow,
  wanted: { productId: string; quantity: number },
  toldMinor: number,
): boolean {
  const [line] = lines;
  return (
    lines.length === 1 &&
    line?.productId === wanted.productId &&
    line.quantity === wanted.quantity &&
    line.unitPriceMinor === PRICE_MINOR &&
    toldMinor === wanted.quantity * PRICE_MINOR &&
    totalMinor === BigInt(toldMinor)
  );
}

/** An acknowledged payment exists once, in its wallet; any other exists once or not at all; and nothing else exists. */
export async function findPaymentFaults(db: Queryable, { payments }: Recorder): Promise<string[]> {
  const rows = await db.rows<{ name: string; amountMinor: bigint }>(sql`
    select reseller_id || ' ' || environment || ' ' || note as name, amount_minor as "amountMinor" from ledger_entries
    where type = 'deposit' and note like ${`${PAYMENT_NOTE}%`}`);
  const found = Map.groupBy(rows, ({ name }) => name);
  const faults = payments.flatMap(({ resellerId, environment, note, acknowledged, amountMinor }) => {
    const name = `${resellerId} ${environment} ${note}`;
    const there = found.get(name) ?? [];
    found.delete(name);
    if (there.length === 0) return acknowledged ? [`${name} is not there`] : [];
    return there.length === 1 && there[0]?.amountMinor === BigInt(amountMinor)
      ? []
      : [`${name} is there ${there.length} times`];
  });
  return [...faults, ...[...found.keys()].map((name) => `${name} was never paid`)];
}

/** The balance of the API equals that of the ledger. */
export async function findBalanceFaults(
  { db, apis }: World,
  accounts: readonly Account[],
): Promise<string[]> {
  const rows = await db.rows<{ name: string; balance: number }>(sql`
    select reseller_id || ' ' || environment as name, sum(amount_minor)::double precision as balance
    from ledger_entries group by 1`);
  const balances = new Map(rows.map(({ name, balance }) => [name, balance]));
  const faults: string[] = [];
  for (const { resellerId, environment, key, name } of accounts) {
    const { status, body } = await call(apis[0]?.port ?? 0, key, "GET", "/v1/balance");
    const told = status === 200 ? (JSON.parse(body) as { balance: { amount: number } }).balance.amount : body;
    const expected = balances.get(`${resellerId} ${environment}`);
    if (told !== expected) faults.push(`${name} is told ${told}, and its entries add up to ${expected}`);
  }
  return faults;
}
