import type { Caller } from "../../http/caller.ts";
import { Problem } from "../../lib/problem.ts";
import {
  type PlaceOrderDeps,
  type PlaceOrderInput,
  type PlaceOrderResult,
  placeOrder,
} from "../place-order.ts";
import type { PlacementQueues } from "../placement-batch.ts";
import { gatherSubmissions } from "./gather-submissions.ts";

export type PlaceOrdersDeps = PlaceOrderDeps & PlacementQueues;
export type PlaceOrdersResult = PlaceOrderResult | { error: unknown };

/** Written in one transaction. */
const GROUP_MAX = 128;
/** Orders that were not started by then are refused, so that the caller gets an answer. It can send them again. */
const START_WITHIN_MS = 8_000;

/**
 * Places several orders, each as if it came alone and in this order. Orders with different keys are placed in groups; an
 * order whose key occurred before waits until the earlier one is decided.
 */
export async function placeOrders(
  deps: PlaceOrdersDeps,
  caller: Caller,
  inputs: readonly PlaceOrderInput[],
): Promise<PlaceOrdersResult[]> {
  const startUntilMs = performance.now() + START_WITHIN_MS;
  const results: PlaceOrdersResult[] = [];
  for (const group of groupsOf(inputs)) {
    const isLate = performance.now() > startUntilMs;
    results.push(
      ...(isLate ? group.map(() => ({ error: tooLate() })) : await placeGroup(deps, caller, group)),
    );
  }
  return results;
}

function groupsOf(inputs: readonly PlaceOrderInput[]): PlaceOrderInput[][] {
  const groups: PlaceOrderInput[][] = [];
  let keys = new Set<string>();
  for (const input of inputs) {
    if (groups.length === 0 || keys.size === GROUP_MAX || keys.has(input.idempotencyKey)) {
      groups.push([]);
      keys = new Set();
    }
    keys.add(input.idempotencyKey);
    groups.at(-1)?.push(input);
  }
  return groups;
}

function placeGroup(
  deps: PlaceOrdersDeps,
  caller: Caller,
  inputs: readonly PlaceOrderInput[],
): Promise<PlaceOrdersResult[]> {
  const gathering = gatherSubmissions(inputs.length, deps.submitGroup);
  return Promise.all(
    inputs.map(async (input, member) => {
      try {
        return await placeOrder({ ...deps, submit: gathering.submitAs(member) }, caller, input);
      } catch (error) {
        return { error };
      } finally {
        gathering.leave(member);
      }
    }),
  );
}

const tooLate = (): Problem =>
  new Problem(
    "service_unavailable",
    "The batch took too long, and this order was not placed. Send it again.",
    {
      headers: { "retry-after": "1" },
    },
  );
