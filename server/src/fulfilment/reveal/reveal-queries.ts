import sql from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import { type Actor, keyIdOf, otherIdOf } from "../../lib/actor.ts";
import type { OrderStatus } from "../../orders/status.ts";
import type { GoodsType } from "../../suppliers/goods.ts";

export const findOrderStatus = async (
  db: Queryable,
  tenant: Tenant,
  orderId: string,
): Promise<OrderStatus | undefined> => {
  const [row] = await db.rows<{ status: OrderStatus }>(
    sql`
      select status from orders
      where id = ${orderId} and reseller_id = ${tenant.resellerId} and environment = ${tenant.environment}`,
    { name: "find-order-status" },
  );
  return row?.status;
};

export type DeliveredCode = {
  id: string;
  lineIndex: number;
  unitIndex: number;
  productId: string;
  type: GoodsType;
  sealed: Buffer | null;
  /** Set if it was sealed to the reseller's key. */
  kid: string | null;
  enc: Buffer | null;
  ciphertext: Buffer | null;
  testCode: string | null;
  expiresAt: Date | null;
  deliveredAt: Date;
};

/**
 * The codes of an order that the caller owns, in the order of its lines and units. While an all-or-nothing order is
 * processing they can still be taken back.
 */
export const listDeliveredCodes = (db: Queryable, tenant: Tenant, orderId: string) =>
  db.rows<DeliveredCode>(
    sql`
      select c.id, c.line_index as "lineIndex", c.unit_index as "unitIndex", c.product_id as "productId", c.type,
             c.sealed, c.kid, c.enc, c.ciphertext, c.test_code as "testCode", c.expires_at as "expiresAt", c.delivered_at as "deliveredAt"
      from orders o
      join codes c on c.order_id = o.id and c.state = 'delivered' and c.environment = o.environment
      where o.id = ${orderId} and o.reseller_id = ${tenant.resellerId} and o.environment = ${tenant.environment}
        and not (o.all_or_nothing and o.status = 'processing')
      order by c.line_index, c.unit_index`,
    { name: "list-delivered-codes" },
  );

export type Reveal = Tenant & {
  orderId: string;
  actor: Actor;
  requestId: string;
  address: string;
  codeCount: number;
  revealedAt: Date;
};

export const insertReveal = (db: Queryable, reveal: Reveal) =>
  db.rows(
    sql`
      insert into code_reveals (order_id, reseller_id, environment, actor_kind, key_id, actor_id, request_id, address,
                                code_count, revealed_at)
      values (${reveal.orderId}, ${reveal.resellerId}, ${reveal.environment}, ${reveal.actor.kind},
              ${keyIdOf(reveal.actor)}, ${otherIdOf(reveal.actor)}, ${reveal.requestId}, ${reveal.address},
              ${reveal.codeCount}, ${reveal.revealedAt})`,
    { name: "insert-reveal" },
  );

/** A code of an order without the code itself. */
export type CodeRow = Pick<
  DeliveredCode,
  "id" | "lineIndex" | "productId" | "type" | "kid" | "expiresAt" | "deliveredAt"
>;

/** The first codes that a reveal would show, and how many there are. */
export const listCodeRows = async (
  db: Queryable,
  tenant: Tenant,
  orderId: string,
  limit: number,
): Promise<{ codes: CodeRow[]; count: number }> => {
  const rows = await db.rows<CodeRow & { count: number }>(
    sql`
      select c.id, c.line_index as "lineIndex", c.product_id as "productId", c.type, c.kid,
             c.expires_at as "expiresAt", c.delivered_at as "deliveredAt", (count(*) over ())::integer as count
      from orders o
      join codes c on c.order_id = o.id and c.state = 'delivered' and c.environment = o.environment
      where o.id = ${orderId} and o.reseller_id = ${tenant.resellerId} and o.environment = ${tenant.environment}
        and not (o.all_or_nothing and o.status = 'processing')
      order by c.line_index, c.unit_index limit ${limit}`,
    { name: "list-code-rows" },
  );
  return { codes: rows.map(({ count: _count, ...code }) => code), count: rows[0]?.count ?? 0 };
};

export type RevealRow = { actor: Actor; address: string; codeCount: number; revealedAt: Date };

/** The newest reveals of an order, oldest of them first. */
export const listRevealRows = (db: Queryable, tenant: Tenant, orderId: string, limit: number) =>
  db.rows<RevealRow>(
    sql`
      select * from (
        select r.id, r.actor, r.address, r.code_count as "codeCount", r.revealed_at as "revealedAt" from code_reveals r
        where r.order_id = ${orderId} and r.reseller_id = ${tenant.resellerId} and r.environment = ${tenant.environment}
        order by r.id desc limit ${limit}
      ) newest order by newest.id`,
    { name: "list-reveal-rows" },
  );
