import { setImmediate } from "node:timers/promises";
import type { Db, Tx } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { notFound, Problem } from "../../lib/problem.ts";
import type { OrderStatus } from "../../orders/status.ts";
import { decodeGoods } from "../../suppliers/goods.ts";
import { deliveredPlace } from "../../vault/code-place.ts";
import type { CodeVault } from "../../vault/code-vault.ts";
import { type DeliveredCode, findOrderStatus, insertReveal, listDeliveredCodes } from "./reveal-queries.ts";
import type { OrderCodesView, OrderCodeView } from "./schemas.ts";

export type RevealDeps = { db: Db; clock: Clock; codeVault: CodeVault };
export type RevealRequest = {
  orderId: string;
  requestId: string;
  address: string;
  /** One code of the order instead of all of them. */
  codeId?: string | undefined;
  /** What else is recorded in the transaction that records the reveal. */
  alsoRecord?: (tx: Tx, codeCount: number) => Promise<void>;
};

/** The codes of the caller's order. The record of who was shown them is committed before they leave. */
export async function revealCodes(
  { db, clock, codeVault }: RevealDeps,
  caller: Tenant & { actor: Actor },
  { orderId, requestId, address, codeId, alsoRecord }: RevealRequest,
): Promise<OrderCodesView> {
  const status = orderId.includes("\0") ? undefined : await findOrderStatus(db, caller, orderId);
  if (status === undefined) throw notFound();
  const delivered = await listDeliveredCodes(db, caller, orderId);
  const codes = codeId === undefined ? delivered : delivered.filter(({ id }) => id === codeId);
  if (codeId !== undefined && codes.length === 0) throw notFound();
  if (codes.length === 0) throw nothingDelivered(status);
  const data = await openInSlices(codes, (code) => toView(codeVault, orderId, code));
  const { resellerId, environment, actor } = caller;
  const codeCount = codes.length;
  const revealedAt = clock.now();
  const reveal = { resellerId, environment, actor, orderId, requestId, address, codeCount, revealedAt };
  if (alsoRecord)
    await db.transaction(async (tx) => {
      await insertReveal(tx, reveal);
      await alsoRecord(tx, codeCount);
    });
  else await insertReveal(db, reveal);
  return { orderId, status, data };
}

function nothingDelivered(status: OrderStatus): Problem {
  const members = { orderStatus: status };
  return status === "failed" || status === "refunded"
    ? new Problem("codes_unavailable", `This order is ${status}, and none of it was delivered.`, { members })
    : new Problem("order_not_fulfilled", `Nothing of this order has been delivered; it is ${status}.`, {
        members,
      });
}

/** Opening thousands of codes takes a while; others are served in between. */
async function openInSlices<Code, View>(codes: readonly Code[], open: (code: Code) => View): Promise<View[]> {
  const views: View[] = [];
  for (let from = 0; from < codes.length; from += CODES_AT_ONCE) {
    if (from > 0) await setImmediate();
    views.push(...codes.slice(from, from + CODES_AT_ONCE).map(open));
  }
  return views;
}

const CODES_AT_ONCE = 200;

function toView(vault: CodeVault, orderId: string, code: DeliveredCode): OrderCodeView {
  const { id, lineIndex, unitIndex, productId, type, sealed, testCode, expiresAt } = code;
  const deliveredAt = code.deliveredAt.toISOString();
  const sealedTo = sealedOf(code);
  if (sealedTo) {
    const expiry = expiresAt ? { expiresAt: expiresAt.toISOString() } : {};
    return { id, lineIndex, unitIndex, productId, type, sealed: sealedTo, ...expiry, deliveredAt };
  }
  const goods = sealed
    ? decodeGoods(
        type,
        vault.open(deliveredPlace({ orderId, lineIndex, unitIndex }, productId), sealed),
        expiresAt,
      )
    : { type, ...(type === "topup" ? { receipt: testCode ?? "" } : { code: testCode ?? "" }) };
  return { id, lineIndex, productId, ...goods, deliveredAt };
}

const sealedOf = ({ kid, enc, ciphertext }: DeliveredCode): OrderCodeView["sealed"] =>
  kid && enc && ciphertext
    ? { kid, enc: enc.toString("base64url"), ciphertext: ciphertext.toString("base64url") }
    : undefined;
