import type { Tenant } from "../../src/http/caller.ts";

/** What a reseller can order. Input values are text. */
export type ModelLine = { productId: string; quantity: number; inputFields?: Record<string, string> };
export type ModelBody = { lines: ModelLine[]; reference?: string; expectedTotal?: number };

export type ModelProduct = {
  id: string;
  hidden: boolean;
  supply: "none" | "empty" | "available";
  listPrice: number | undefined;
  ownPrices: Map<string, number>;
};

export type ModelOrder = {
  id: string;
  reference: string | undefined;
  total: number;
  lines: (ModelLine & { unitPrice: number })[];
};

export type ModelEntry = {
  type: string;
  amount: number;
  balanceAfter: number;
  orderId?: string;
  note?: string;
};

export type ModelWallet = Tenant & {
  balance: number;
  /** Oldest first. */
  entries: ModelEntry[];
  orders: ModelOrder[];
  bound: Map<string, { canonical: string; order: ModelOrder }>;
};

export type Model = { products: Map<string, ModelProduct>; quantityMax: number };

/** The expected response. */
export type Expected =
  | { kind: "placed"; order: Omit<ModelOrder, "id"> }
  | { kind: "replayed"; order: ModelOrder }
  | { kind: "refused"; status: number; code: string };

/** The rules of CONTRACT 4 in their simplest form: one order at a time, with only maps and sums as state. */
export function expectPlacement(model: Model, wallet: ModelWallet, key: string, body: ModelBody): Expected {
  const bound = wallet.bound.get(key);
  if (bound) {
    return bound.canonical === canonicalOf(body)
      ? { kind: "replayed", order: bound.order }
      : { kind: "refused", status: 409, code: "idempotency_conflict" };
  }
  const products = body.lines.map(({ productId }) => model.products.get(productId));
  if (products.some((product) => !product || product.hidden))
    return { kind: "refused", status: 404, code: "not_found" };
  const lines: ModelOrder["lines"] = [];
  for (const [index, line] of body.lines.entries()) {
    const product = products[index];
    const unitPrice = product?.ownPrices.get(wallet.resellerId) ?? product?.listPrice;
    const isOffered = wallet.environment === "test" || product?.supply !== "none";
    if (unitPrice === undefined || !isOffered)
      return { kind: "refused", status: 422, code: "product_not_purchasable" };
    if (wallet.environment === "live" && product?.supply === "empty")
      return { kind: "refused", status: 422, code: "out_of_stock" };
    if (line.quantity > model.quantityMax)
      return { kind: "refused", status: 422, code: "quantity_out_of_range" };
    lines.push({ ...line, unitPrice });
  }
  const total = lines.reduce((sum, { unitPrice, quantity }) => sum + unitPrice * quantity, 0);
  if (body.expectedTotal !== undefined && body.expectedTotal !== total)
    return { kind: "refused", status: 409, code: "price_changed" };
  if (total > wallet.balance) return { kind: "refused", status: 402, code: "insufficient_funds" };
  return { kind: "placed", order: { total, lines, reference: body.reference } };
}

/** Records an order that was accepted under this id. */
export function place(wallet: ModelWallet, key: string, body: ModelBody, order: ModelOrder): void {
  wallet.orders.push(order);
  wallet.bound.set(key, { canonical: canonicalOf(body), order });
  move(wallet, { type: "order", amount: -order.total, orderId: order.id });
}

/** Moves money. Returns false if the balance is too low. */
export function move(wallet: ModelWallet, entry: Omit<ModelEntry, "balanceAfter">): boolean {
  if (wallet.balance + entry.amount < 0) return false;
  wallet.balance += entry.amount;
  wallet.entries.push({ ...entry, balanceAfter: wallet.balance });
  return true;
}

/** What identifies a request. The expected total is a guard and not part of it. */
const canonicalOf = ({ lines, reference }: ModelBody): string =>
  JSON.stringify([
    reference,
    lines.map(({ productId, quantity, inputFields = {} }) => [
      productId,
      quantity,
      Object.entries(inputFields).sort(([a], [b]) => (a < b ? -1 : 1)),
    ]),
  ]);

/** The order as the API returns it, without its times. */
export const toView = ({ id, total, reference, lines }: ModelOrder) => ({
  id,
  status: "pending",
  total: usd(total),
  ...(reference === undefined ? {} : { reference }),
  refundedTotal: usd(0),
  lines: lines.map(({ productId, quantity, unitPrice, inputFields }) => ({
    productId,
    name: `Product ${productId}`,
    unitPrice: usd(unitPrice),
    quantity,
    lineTotal: usd(unitPrice * quantity),
    ...(inputFields ? { inputFields } : {}),
    fulfilledQuantity: 0,
    refundedQuantity: 0,
  })),
});

const usd = (amount: number) => ({ amount, currency: "USD" });
