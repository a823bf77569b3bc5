import { hash } from "node:crypto";
import { type InputValues, toInputValues } from "../catalog/input-values.ts";
import { isPlainText } from "../lib/plain-text.ts";
import { Problem } from "../lib/problem.ts";
import type { Json } from "../lib/strict-json.ts";
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

/** The schema keeps the published pattern. What it accepts by mistake is refused here. */
function hiddenCharacters(): Problem {
  const detail = "reference must not contain control, format or bidirectional characters.";
  return new Problem("invalid_request", detail, {
    errors: [{ pointer: "/reference", code: "pattern", detail }],
  });
}

function toLine({ productId, quantity, inputFields = {} }: PlaceOrderBody["lines"][number]): RequestedLine {
  const { values, badKeys } = toInputValues(inputFields as { [key: string]: Json });
  return { productId, quantity, inputFields: values, badKeys };
}

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
  const canonical = lines.map(({ productId, quantity, inputFields, badKeys }) => [
    productId,
    quantity,
    Object.entries(inputFields).sort(([a], [b]) => (a < b ? -1 : 1)),
    // Whatever the bad values are, this matches no order's request.
    ...badKeys,
  ]);
  return hash(
    "sha256",
    JSON.stringify([canonical, reference, ...(allOrNothing ? ["all_or_nothing"] : [])]),
    "buffer",
  );
}
