// The baseline of the order benchmark: a naive implementation. One transaction for each order, one statement
// for each step, the same tables, driver and pool size; no batches, and no checks beyond what keeps the money right.
import { createHash } from "node:crypto";
import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import sql from "sql-template-tag";
import { connectDatabase, type Tx } from "../../server/src/db/database.ts";
import { systemClock } from "../../server/src/lib/clock.ts";
import { idsOf } from "../../server/src/lib/ids.ts";
import { appendEntry } from "../../server/src/wallet/entry.ts";
import { insertEntry, lockWallet, updateWallet } from "../../server/src/wallet/queries.ts";

type Body = { lines: { productId: string; quantity: number }[] };

const db = connectDatabase({
  connectionString: process.env.NAIVE_DATABASE_URL ?? "",
  applicationName: "scrip naive",
  poolSize: 16,
  onConnectionLost: () => {},
});
const tenant = { resellerId: process.env.NAIVE_RESELLER ?? "", environment: "live" as const };
const app = Fastify({ logger: false });
app.post<{ Body: Body }>("/v1/orders", async (request, reply) => {
  const order = await db.transaction((tx) =>
    place(tx, String(request.headers["idempotency-key"]), request.body),
  );
  return reply.code(202).send({ order });
});
await app.listen({ host: "127.0.0.1", port: 0 });
console.log(`http://localhost:${(app.server.address() as AddressInfo).port}`);
process.on("SIGTERM", () => process.exit(0));

async function place(tx: Tx, idempotencyKey: string, { lines }: Body) {
  const wallet = await lockWallet(tx, tenant);
  if (!wallet) throw new Error("no wallet");
  const [bound] = await tx.rows<{ id: string }>(sql`
    select id from orders where binding = ${`${tenant.resellerId} live ${idempotencyKey}`}`);
  if (bound) return bound;
  const now = new Date();
  const id = idsOf(systemClock)("ord");
  const prices = await tx.rows<{ productId: string; amountMinor: bigint }>(sql`
    select product_id as "productId", amount_minor as "amountMinor" from list_prices
    where product_id = any(${lines.map((line) => line.productId)}) and price_list = 'standard' and currency = 'USD'`);
  const priceOf = new Map(prices.map((price) => [price.productId, price.amountMinor]));
  const total = lines.reduce(
    (sum, line) => sum + (priceOf.get(line.productId) ?? 0n) * BigInt(line.quantity),
    0n,
  );
  await tx.rows(sql`
    insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, total_minor, currency, key_id, created_at, updated_at)
    values (${id}, ${tenant.resellerId}, 'live', ${idempotencyKey}, ${createHash("sha256").update(id).digest()}, ${total}, 'USD', 'key', ${now}, ${now})`);
  for (const [index, line] of lines.entries()) {
    const price = priceOf.get(line.productId) ?? 0n;
    await tx.rows(sql`
      insert into order_lines (order_id, line_index, reseller_id, environment, product_id, name, unit_price_minor, quantity, line_total_minor)
      values (${id}, ${index}, ${tenant.resellerId}, 'live', ${line.productId}, 'Card', ${price}, ${line.quantity}, ${price * BigInt(line.quantity)})`);
  }
  const next = appendEntry(wallet, {
    id: idsOf(systemClock)("ent"),
    type: "order",
    amountMinor: -total,
    orderId: id,
    note: null,
    createdAt: now,
  });
  if (!next) throw new Error("insufficient funds");
  await insertEntry(tx, next.entry);
  await tx.rows(sql`insert into order_work (order_id, due_at) values (${id}, ${now})`);
  await updateWallet(tx, next.head);
  return { id, status: "pending", total: { amount: Number(total), currency: "USD" } };
}
