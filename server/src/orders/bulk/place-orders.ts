import type { Caller } from "../../http/caller.ts";
import { Problem } from "../../lib/problem.ts";
import {
  type PlaceOrderDeps,
  type PlaceOrderInput,
  type PlaceOrderResult,
  placeOrder,
} from "../place-order.ts";
import type { PlacementQueues } from "../placing/placement-batch.ts";
import { gatherSubmissions } from "./gather-submissions.ts";

export type PlaceOrdersDeps = PlaceOrderDeps & PlacementQueues;
export type PlaceOrdersResult = PlaceOrderResult | { error: unknown };

/** Written in one transaction, which must be short: other orders of the wallet wait for it. */
const GROUP_ORDERS_MAX = 128;
const GROUP_LINES_MAX = 256;
/** Orders that were not started by then are refused, so that the caller gets an answer. It can send them again. */
const START_WITHIN_MS = 8_000;

/**
 * Places several orders, each as if it came alone and in this order. They are placed in groups. A key that occurs again with
 * another request begins a new group, because the earlier order must be decided first. The same request under the same key gets the
 * same order whichever comes first.
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
  let group: PlaceOrderInput[] = [];
  let lines = 0;
  let requests = new Map<string, Buffer>();
  for (const input of inputs) {
    const { lines: own, fingerprint } = input.request;
    const earlier = requests.get(input.idempotencyKey);
    const isFull = group.length === GROUP_ORDERS_MAX || lines + own.length > GROUP_LINES_MAX;
    if (group.length === 0 || isFull || earlier?.equals(fingerprint) === false) {
      group = [];
      groups.push(group);
      lines = 0;
      requests = new Map();
    }
    group.push(input);
    lines += own.length;
    requests.set(input.idempotencyKey, fingerprint);
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
