import type { Operator } from "../../fulfilment/operate/operator.ts";
import { decideAction, type Offer, type OrderAction } from "../../fulfilment/operate/order-actions.ts";
import { type OrderState, readOrderStates } from "../../fulfilment/operate/order-state.ts";
import { Problem } from "../../lib/problem.ts";
import type { ConsoleDeps } from "../session.ts";
import type { Effect } from "./consequences.ts";
import { runAction } from "./run-action.ts";

/** How many orders one selection may have. Each is done by itself. */
export const BULK_MAX = 25;
/** No further order is started after so long: a page must answer. Look-ups wait for suppliers. */
const BULK_WITHIN_MS = 45_000;
const LOOK_UPS_AT_ONCE = 5;

export type Reviewed = { state: OrderState; offer: Offer };
export type BulkPick = { orderId: string; expected: Effect };
export type BulkResult = { orderId: string; isDone: boolean; text: string };

/** What an action would do to each of these orders now. */
export async function reviewOrders(
  { db, clock }: Pick<ConsoleDeps, "db" | "clock">,
  action: OrderAction,
  ids: readonly string[],
): Promise<Reviewed[]> {
  const states = await readOrderStates(db, ids, clock.now());
  return states.map((state) => ({ state, offer: decideAction(state, action) }));
}

/** Does it to each order by itself. One that is refused keeps no other from being done, and nothing is done by half. */
export async function runBulk(
  deps: ConsoleDeps,
  by: Operator,
  { action, reason, picks }: { action: OrderAction; reason: string; picks: readonly BulkPick[] },
): Promise<BulkResult[]> {
  const startedMs = Date.now();
  const results = new Map<string, BulkResult>();
  const left = [...picks];
  const runner = async () => {
    for (let pick = left.shift(); pick; pick = left.shift())
      results.set(pick.orderId, await runOne(deps, by, { ...pick, action, reason }, startedMs));
  };
  const atOnce = action === "look_up" ? LOOK_UPS_AT_ONCE : 1;
  await Promise.all(Array.from({ length: Math.min(atOnce, picks.length) }, runner));
  return picks.flatMap(({ orderId }) => results.get(orderId) ?? []);
}

async function runOne(
  deps: ConsoleDeps,
  by: Operator,
  input: BulkPick & { action: OrderAction; reason: string },
  startedMs: number,
): Promise<BulkResult> {
  const { orderId } = input;
  if (Date.now() - startedMs > BULK_WITHIN_MS)
    return { orderId, isDone: false, text: "Not started: the others took too long. Select it again." };
  try {
    return { orderId, isDone: true, text: await runAction(deps, by, input) };
  } catch (error) {
    if (error instanceof Problem) return { orderId, isDone: false, text: error.message };
    deps.log.error({ err: error, orderId }, "an action on an order failed");
    return {
      orderId,
      isDone: false,
      text: "This failed on our side. Open the order and look before you try again.",
    };
  }
}
