import { type InputValues, toInputValues } from "../catalog/input-values.ts";
import { isPlainText } from "../lib/plain-text.ts";
import { Problem } from "../lib/problem.ts";
import type { Json } from "../lib/strict-json.ts";
import { sha256 } from "../wallet/entry.ts";
import type { PlaceOrderBody } from "./schemas.ts";

export type RequestedLine = {
  productId: string;
  quantity: number;
  inputFields: InputValues;
  /** Input fields whose value is neither text nor a whole number. An order with one is refused. */
  badKeys: readonly string[];
};

/** A parsed order request, with the fingerprint that distinguishes a retry from a different request. */
export type OrderRequest = {
  lines: readonly RequestedLine[];
  reference: string | null;
  expectedTotalMinor: bigint | undefined;
  allOrNothing: boolean;
  fingerprint: Buffer;
};

export function toOrderRequest(body: PlaceOrderBody): OrderRequest {
  const lines = body.lines.map(toLine);
  const reference = body.reference ?? null;
  if (reference !== null && !isPlainText(reference)) throw hiddenCharacters();
  const allOrNothing = body.fulfilment === "all_or_nothing";
  return {
    lines,
    reference,
    expectedTotalMinor: body.expectedTotal === undefined ? undefined : BigInt(body.expectedTotal),
    allOrNothing,
    fingerprint: fingerprintOf(lines, reference, allOrNothing),
  };
}

/** What an idempotency key is bound to. */
export type BoundRequest = Pick<OrderRequest, "fingerprint" | "reference" | "allOrNothing">;

/** The members of the body that differ from the request that a key is bound to. At least one, if the fingerprints differ. */
export function differencesOf(
  request: OrderRequest,
  { fingerprint, reference, allOrNothing }: BoundRequest,
): string[] {
  const withItsLines = fingerprintOf(request.lines, reference, allOrNothing);
  return [
    ...(withItsLines.equals(fingerprint) ? [] : ["lines"]),
    ...(request.reference === reference ? [] : ["reference"]),
    ...(request.allOrNothing === allOrNothing ? [] : ["fulfilment"]),
  ];
}

/** The schema keeps the published pattern. What it accepts by mistake is refused here. */
function hiddenCharacters(): Problem {
  const detail = "reference must not contain control, format or bidirectional characters.";
  return new Problem("invalid_request", detail, {
    errors: [{ pointer: "/reference", code: "pattern", detail }],
  });
}

function toLine({ productId, quantity, inputFields }: PlaceOrderBody["lines"][number]): RequestedLine {
  if (inputFields === undefined) return { productId, quantity, inputFields: NO_VALUES, badKeys: [] };
  const { values, badKeys } = toInputValues(inputFields as { [key: string]: Json });
  return { productId, quantity, inputFields: values, badKeys };
}

const NO_VALUES: InputValues = Object.freeze(Object.create(null));

/**
 * SHA-256 of the canonical request: lines in order, input values by key, reference. The order of keys, and whether a
 * value was a number or text, do not matter (CONTRACT 4). `expectedTotal` guards one attempt and is not part of it.
 * `fulfilment` is part of it only if it is not the default, so that fingerprints of older requests stay the same.
 */
function fingerprintOf(
  lines: readonly RequestedLine[],
  reference: string | null,
  allOrNothing: boolean,
): Buffer {
  let canonical = "";
  for (const line of lines) canonical += `${canonical === "" ? "" : ","}${canonicalLine(line)}`;
  const fulfilment = allOrNothing ? ',"all_or_nothing"' : "";
  return sha256(`[[${canonical}],${JSON.stringify(reference)}${fulfilment}]`);
}

/** JSON of product, quantity and values, written piece by piece because arrays of arrays cost twice as much. */
function canonicalLine({ productId, quantity, inputFields, badKeys }: RequestedLine): string {
  const values = Object.entries(inputFields).sort(([a], [b]) => (a < b ? -1 : 1));
  // Whatever the bad values are, this matches no order's request.
  const bad = badKeys.map((key) => `,${JSON.stringify(key)}`).join("");
  return `[${JSON.stringify(productId)},${quantity},${values.length === 0 ? "[]" : JSON.stringify(values)}${bad}]`;
}
