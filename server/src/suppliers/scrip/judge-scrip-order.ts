import { type CallOptions, type Client, type Order, type OrderLine, ScripError } from "@scrip/sdk";
import { secret } from "../../lib/secret.ts";
import { plainWord } from "../calls/hear-answers.ts";
import { readPrice } from "../price-guard.ts";
import { FAILURE_CODES, type FailureCode, type PurchaseOutcome } from "../supplier.ts";
import { asScripError, NONSENSE, unknownBecauseOf } from "./scrip-answers.ts";
import { toScripGoods } from "./scrip-goods.ts";

/** What we know of the order that we asked for. */
export type AskedOrder = { id: string; reference: string; sku?: string | undefined };

/** What the supplier's order says about our purchase, and its own word for it. Its goods are read once it is delivered. */
export async function judgeScripOrder(
  client: Client,
  order: Order,
  asked: AskedOrder,
  options: CallOptions,
): Promise<PurchaseOutcome> {
  const outcome = await judge(client, order, asked, options);
  const goods = outcome.kind === "delivered" ? Object.values(outcome.goods.reveal()) : [];
  const word = plainWord(order.status, goods);
  const said = { httpStatus: 200, ...(word === undefined ? {} : { word }), upstreamId: asked.id };
  return { ...outcome, said: { ...said, ...outcome.said } };
}

async function judge(
  client: Client,
  order: Order,
  asked: AskedOrder,
  options: CallOptions,
): Promise<PurchaseOutcome> {
  const line = soleLine(order, asked);
  if (!line) return NONSENSE;
  switch (order.status) {
    case "pending":
    case "processing":
      return { kind: "accepted", upstreamId: order.id, price: readPrice(order.total) };
    case "completed":
      if (line.fulfilledQuantity !== 1) return NONSENSE;
      return readGoods(client, order, line, options);
    case "failed":
      // It can never be delivered. Its refund may be on hold, which is for the operators to settle.
      return line.fulfilledQuantity === 0 ? refusedBy(line) : NONSENSE;
    case "refunded":
      return order.refundedTotal.amount === order.total.amount ? refusedBy(line) : NONSENSE;
    default:
      return NONSENSE;
  }
}

/** The line, when the order is the one that we placed: ours by id and reference, and one unit of what we wanted. */
function soleLine(order: Order, { id, reference, sku }: AskedOrder): OrderLine | undefined {
  const [line, ...others] = order.lines;
  const isOurs = order.id === id && order.reference === reference;
  const isOneUnit = line?.quantity === 1 && others.length === 0;
  const isOurProduct = sku === undefined || line?.productId === sku;
  return isOurs && isOneUnit && isOurProduct ? line : undefined;
}

function refusedBy({ failureCode }: OrderLine): PurchaseOutcome {
  const known = FAILURE_CODES.find((code): code is FailureCode => code === failureCode);
  return { kind: "refused", failureCode: known ?? "rejected_by_issuer", supplierFault: false };
}

/** Without them the purchase is made, and they are asked for again. */
async function readGoods(
  client: Client,
  { id: orderId, total }: Order,
  line: OrderLine,
  options: CallOptions,
): Promise<PurchaseOutcome> {
  const codes = await client.orders.codes(orderId, options).catch(asScripError);
  const said = { state: "sold" } as const;
  if (codes instanceof ScripError) return { ...unknownBecauseOf(codes), said };
  const [entry, ...others] = codes.data;
  const isOurs = codes.orderId === orderId && entry?.lineIndex === 0 && entry.productId === line.productId;
  if (!isOurs || others.length > 0) return { ...NONSENSE, said };
  const goods = toScripGoods(entry);
  if (goods === "nonsense" || goods === "sandbox") return { kind: "unknown", reason: goods, said };
  return { kind: "delivered", goods: secret(goods), upstreamId: orderId, price: readPrice(total) };
}
