import { checkInputValues, type InputValues } from "../catalog/input-values.ts";
import type { PricedProducts } from "../catalog/prices/priced-products.ts";
import { type NotPurchasable, purchasePrice } from "../catalog/prices/purchase-price.ts";
import type { VisibleProductRow } from "../catalog/queries.ts";
import type { Tenant } from "../http/caller.ts";
import { AMOUNT_MAX_MINOR } from "../lib/money.ts";
import { type FieldError, Problem } from "../lib/problem.ts";
import type { ProblemCode } from "../lib/problem-table.ts";
import { toPointer } from "../lib/strict-json.ts";
import type { Shortage, Wanted } from "../suppliers/stock/stock-levels.ts";
import type { OrderRequest, RequestedLine } from "./order-request.ts";
import { money } from "./order-view.ts";

export type PricedLine = {
  productId: string;
  name: string;
  unitPriceMinor: bigint;
  quantity: number;
  lineTotalMinor: bigint;
  inputFields: InputValues | null;
  /** Rule, rate and landed cost as of acceptance. */
  basis: string | null;
};

export type PricedOrder = { lines: PricedLine[]; totalMinor: bigint; currency: string };

type Environment = Tenant["environment"];

/** The maximum for one line: all work for an order is limited to this many units. */
export const UNITS_MAX = 10_000;

/**
 * Fixes the current names and prices, or throws the first reason why the order is refused, which lists every fault of its lines.
 * What was read of the catalog serves both environments; what can be bought is decided here for the caller's.
 */
export function priceOrder(
  environment: Environment,
  request: OrderRequest,
  catalog: PricedProducts,
): PricedOrder {
  const missing: Problem[] = [];
  const faults: Problem[] = [];
  const lines: PricedLine[] = [];
  for (const [index, line] of request.lines.entries()) {
    const product = catalog.products.get(line.productId);
    if (!product) missing.push(productNotFound(line, index));
    else lines.push(priceLine(environment, line, product, index, faults));
  }
  // An unknown product in any line decides the answer, before any other fault.
  const refusal = withAllErrors([...missing, ...faults]);
  if (refusal) throw refusal;
  const units = lines.reduce((sum, line) => sum + line.quantity, 0);
  if (units > UNITS_MAX) {
    const detail = `An order can have at most ${UNITS_MAX} units in all lines together; this one has ${units}.`;
    throw lineProblem("quantity_out_of_range", lines.length - 1, "quantity", detail);
  }
  const totalMinor = lines.reduce((sum, line) => sum + line.lineTotalMinor, 0n);
  if (totalMinor > AMOUNT_MAX_MINOR) {
    throw new Problem("invalid_request", "The order total exceeds the maximum amount.");
  }
  if (request.expectedTotalMinor !== undefined && request.expectedTotalMinor !== totalMinor) {
    throw new Problem("price_changed", "The order total differs from `expectedTotal`.", {
      members: {
        currentTotal: money(totalMinor, catalog.currency),
        expectedTotal: money(request.expectedTotalMinor, catalog.currency),
      },
    });
  }
  return { lines, totalMinor, currency: catalog.currency };
}

/** The first fault decides code and detail. Its `errors` are followed by those of the others, in the order of the lines. */
function withAllErrors([first, ...others]: readonly Problem[]): Problem | undefined {
  if (!first || others.length === 0) return first;
  const errors = [first, ...others].flatMap(({ options }) => options.errors ?? []);
  return new Problem(first.code, first.message, { ...first.options, errors: errors.slice(0, ERRORS_MAX) });
}

const ERRORS_MAX = 100;

/** The same text for hidden and missing products. The id is the caller's own. */
const productNotFound = ({ productId }: RequestedLine, index: number): Problem =>
  lineProblem(
    "not_found",
    index,
    "productId",
    `No product ${JSON.stringify(productId)} was found for this key.`,
  );

/** Adds what is wrong with the line to `faults`. If nothing is, what is returned can be ordered. */
function priceLine(
  environment: Environment,
  line: RequestedLine,
  product: VisibleProductRow,
  index: number,
  faults: Problem[],
): PricedLine {
  const { name, minQuantity, maxQuantity } = product;
  const price = purchasePrice(product, environment);
  if (typeof price === "string") {
    const problem = lineProblem(price, index, "productId", `"${name}" ${WHY_NOT[price]}`);
    faults.push(price === "out_of_stock" ? withAvailable(problem, 0) : problem);
  }
  if (line.quantity < minQuantity || line.quantity > maxQuantity) {
    const detail = `"${name}" is sold in quantities of ${minQuantity} to ${maxQuantity} per line.`;
    faults.push(lineProblem("quantity_out_of_range", index, "quantity", detail));
  }
  const pointer = `/lines/${index}/inputFields`;
  const errors =
    line.badKeys.length > 0
      ? line.badKeys.map((key) => badValue(pointer, key))
      : checkInputValues(product.inputFields, line.inputFields, pointer);
  const [first] = errors;
  if (first) faults.push(new Problem("invalid_input_field", first.detail, { errors }));
  const unitPriceMinor = typeof price === "string" ? 0n : price;
  return {
    productId: product.id,
    name,
    unitPriceMinor,
    quantity: line.quantity,
    lineTotalMinor: unitPriceMinor * BigInt(line.quantity),
    inputFields: givenValues(line.inputFields),
    basis: product.basis,
  };
}

/** Values that were sent empty count as absent. */
function givenValues(inputFields: InputValues): InputValues | null {
  const given = Object.entries(inputFields).filter(([, value]) => value !== "");
  return given.length === 0 ? null : Object.fromEntries(given);
}

/** The quantity of each product in all lines together. */
export function wantedOf({ lines }: PricedOrder): Wanted[] {
  const wanted = new Map<string, number>();
  for (const { productId, quantity } of lines) wanted.set(productId, (wanted.get(productId) ?? 0) + quantity);
  return [...wanted].map(([productId, quantity]) => ({ productId, quantity }));
}

/** A known shortage, reported at the line that exceeds the stock. */
export function shortageProblem({ lines }: PricedOrder, { productId, available }: Shortage): Problem {
  let left = available;
  const index = lines.findIndex((line) => {
    if (line.productId === productId) left -= line.quantity;
    return left < 0;
  });
  const detail = `Only ${available} of "${lines[index]?.name}" can be delivered now.`;
  return withAvailable(lineProblem("out_of_stock", index, "quantity", detail), available);
}

const withAvailable = ({ code, message, options }: Problem, available: number): Problem =>
  new Problem(code, message, { ...options, members: { available } });

const WHY_NOT: Record<NotPurchasable, string> = {
  product_not_purchasable: "cannot be bought now.",
  out_of_stock: "is out of stock.",
};

const badValue = (pointer: string, key: string): FieldError => ({
  pointer: pointer + toPointer([key]),
  code: "type",
  detail: `The input field ${JSON.stringify(key)} must be text or a whole number.`,
});

const lineProblem = (code: ProblemCode, index: number, member: string, detail: string): Problem =>
  new Problem(code, detail, { errors: [{ pointer: `/lines/${index}/${member}`, code, detail }] });
