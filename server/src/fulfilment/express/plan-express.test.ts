import assert from "node:assert/strict";
import { test } from "node:test";
import type { RouteChoice } from "../buy/choose-routes.ts";
import { FULFILMENT_LIMITS } from "../limits.ts";
import type { Route } from "../take/order-work.ts";
import { chooseFilled, type NewOrder, planExpress } from "./plan-express.ts";

const NOW = new Date("2030-01-02T03:04:05.678Z");

const route = (productId: string, hasOwnStock: boolean): Route => ({
  productId,
  supplierId: "sup",
  hasOwnStock,
  sku: "sku",
  value: null,
  fieldMap: null,
  costMinor: null,
  maxCostMinor: null,
  costCurrency: null,
  paused: false,
  chosen: "priority",
});

/** Lines such as `card 2`. The product `bought` is bought from a supplier. */
const order = (id: string, lines: readonly string[], changes: Partial<NewOrder> = {}): NewOrder => ({
  id,
  resellerId: "res",
  environment: "live",
  reference: null,
  scenario: null,
  createdAt: NOW,
  allOrNothing: false,
  currency: "USD",
  recipient: undefined,
  lines: lines.map((line, lineIndex) => {
    const [productId = "", quantity] = line.split(" ");
    return { lineIndex, productId, unitPriceMinor: 100n, quantity: Number(quantity) };
  }),
  ...changes,
});

const choose = ({ productId }: { productId: string }): RouteChoice => ({
  routes: [route(productId, productId !== "bought")],
  atLoss: [],
});
const plan = (orders: readonly NewOrder[], limits = {}) =>
  planExpress(orders, choose, NOW, { ...FULFILMENT_LIMITS, unitsMax: 5, settleUnitsMax: 8, ...limits });
const idsOf = (orders: readonly { order: NewOrder }[]): string[] => orders.map((one) => one.order.id);

test("only orders that need nothing but stock are planned, each unit once", () => {
  const { express, later } = plan([
    order("stocked", ["card 2", "game 1"]),
    order("mixed", ["card 1", "bought 1"]),
    order("large", ["card 6"]),
  ]);
  assert.deepEqual(idsOf(express), ["stocked"]);
  assert.deepEqual(later, []);
  assert.deepEqual(
    express[0]?.outcomes.map(({ kind, unit, productId }) => [
      kind,
      productId,
      unit.lineIndex,
      unit.unitIndex,
    ]),
    [
      ["take-stock", "card", 0, 0],
      ["take-stock", "card", 0, 1],
      ["take-stock", "game", 1, 0],
    ],
  );
});

test("orders beyond the units of a batch come later, and those that need a lease do not", () => {
  const { express, later } = plan([
    order("first", ["card 5"]),
    order("second", ["card 5"]),
    order("bought", ["bought 5"]),
    order("third", ["card 3"]),
  ]);
  assert.deepEqual([idsOf(express), later], [["first", "third"], ["second"]]);
});

test("orders of the sandbox are not planned", () => {
  const { express, later } = plan([order("sandbox", ["card 1"], { environment: "test" })]);
  assert.deepEqual([express, later], [[], []]);
});

test("once a product is short for one order, later orders get none of it", () => {
  const { express } = plan(
    [order("a", ["card 2"]), order("b", ["card 2"]), order("c", ["card 1"]), order("d", ["game 1"])],
    { settleUnitsMax: 20 },
  );
  const picked = new Map([
    ["card sup", ["1", "2", "3"]],
    ["game sup", ["4"]],
  ]);
  assert.deepEqual(idsOf(chooseFilled(express, picked)), ["a", "d"]);
});
