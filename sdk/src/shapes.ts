import type { Order, OrderCodes, OrderPage, PlacedOrder } from "./types.ts";

/** Where an answer is not what the API promises. Its message names the place and nothing of what stands there. */
export class ShapeError extends Error {}

/** Further members are let through: a later version of the API may add some. */
export function readPlacedOrder(body: unknown): PlacedOrder {
  const order = record(body, "the body").order;
  checkPlacedOrder(order, "order");
  return order as PlacedOrder;
}

export function readOrder(body: unknown): Order {
  const order = record(body, "the body").order;
  checkOrder(order, "order");
  return order as Order;
}

export function readOrderPage(body: unknown): OrderPage {
  const page = record(body, "the body");
  for (const [index, order] of list(page.data, "data").entries()) checkOrder(order, `data[${index}]`);
  expect(typeof page.hasMore === "boolean", "hasMore");
  text(page, "", ["nextCursor"]);
  return page as OrderPage;
}

export function readOrderCodes(body: unknown): OrderCodes {
  const codes = record(body, "the body");
  text(codes, "", ["orderId", "status"]);
  for (const [index, value] of list(codes.data, "data").entries()) {
    const at = `data[${index}].`;
    const code = record(value, `data[${index}]`);
    text(code, at, ["id", "productId", "type", "deliveredAt"]);
    optionalText(code, at, ["code", "pin", "serial", "url", "receipt", "expiresAt"]);
    count(code, at, ["lineIndex"]);
  }
  return codes as OrderCodes;
}

function checkPlacedOrder(value: unknown, at: string): Record<string, unknown> {
  const order = record(value, at);
  text(order, `${at}.`, ["id", "status"]);
  money(order, `${at}.`, ["total"]);
  return order;
}

function checkOrder(value: unknown, at: string): void {
  const order = checkPlacedOrder(value, at);
  text(order, `${at}.`, ["createdAt", "updatedAt"]);
  optionalText(order, `${at}.`, ["reference"]);
  money(order, `${at}.`, ["refundedTotal"]);
  for (const [index, line] of list(order.lines, `${at}.lines`).entries()) {
    checkLine(line, `${at}.lines[${index}]`);
  }
}

function checkLine(value: unknown, at: string): void {
  const line = record(value, at);
  text(line, `${at}.`, ["productId", "name"]);
  optionalText(line, `${at}.`, ["failureCode"]);
  money(line, `${at}.`, ["unitPrice", "lineTotal"]);
  count(line, `${at}.`, ["quantity", "fulfilledQuantity", "refundedQuantity"]);
  if (line.inputFields === undefined) return;
  const fields = record(line.inputFields, `${at}.inputFields`);
  // The keys are the answer's own words, so none of them is named.
  expect(
    Object.values(fields).every((field) => typeof field === "string"),
    `${at}.inputFields`,
  );
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function record(value: unknown, at: string): Record<string, unknown> {
  if (!isRecord(value)) throw new ShapeError(`${at} is missing or wrong`);
  return value;
}

function list(value: unknown, at: string): unknown[] {
  if (!Array.isArray(value)) throw new ShapeError(`${at} is missing or wrong`);
  return value;
}

function text(holder: Record<string, unknown>, at: string, names: readonly string[]): void {
  for (const name of names) expect(typeof holder[name] === "string", at + name);
}

function optionalText(holder: Record<string, unknown>, at: string, names: readonly string[]): void {
  for (const name of names) expect(["string", "undefined"].includes(typeof holder[name]), at + name);
}

function count(holder: Record<string, unknown>, at: string, names: readonly string[]): void {
  for (const name of names) {
    expect(Number.isSafeInteger(holder[name]) && (holder[name] as number) >= 0, at + name);
  }
}

function money(holder: Record<string, unknown>, at: string, names: readonly string[]): void {
  for (const name of names) {
    const amount = record(holder[name], at + name);
    count(amount, `${at}${name}.`, ["amount"]);
    text(amount, `${at}${name}.`, ["currency"]);
  }
}

function expect(isRight: boolean, at: string): void {
  if (!isRight) throw new ShapeError(`${at} is missing or wrong`);
}
