import { setTimeout as delay } from "node:timers/promises";
import {
  type PricedProducts,
  type ProductReader,
  readPricedProducts,
} from "../catalog/prices/priced-products.ts";
import type { Db, Tx } from "../db/database.ts";
import { unauthenticated } from "../http/authenticator.ts";
import type { Caller, Tenant } from "../http/caller.ts";
import type { Clock } from "../lib/clock.ts";
import { idsOf, timeOfId } from "../lib/ids.ts";
import { formatAmount } from "../lib/money.ts";
import { Problem, type ProblemMoney } from "../lib/problem.ts";
import { orderFate } from "../sandbox/order-fate.ts";
import { refuseAsAsked } from "../sandbox/refuse-as-asked.ts";
import { isForcedRefusal, type Scenario } from "../sandbox/scenarios.ts";
import type { ShortageFinder } from "../suppliers/stock/stock-levels.ts";
import { differencesOf, type OrderRequest } from "./order-request.ts";
import { ARRIVES_WITHIN_MS } from "./placing/confirm-queries.ts";
import { type BoundOrder, bindingKey, type Placement } from "./placing/decide-placements.ts";
import type { BatchDecision, SubmitPlacement } from "./placing/placement-batch.ts";
import { type PricedOrder, priceOrder, shortageProblem, wantedOf } from "./price-order.ts";
import { findBoundRequest } from "./queries.ts";

export type PlaceOrderDeps = {
  db: Db;
  readProducts: ProductReader;
  findShortage: ShortageFinder;
  submit: SubmitPlacement;
  clock: Clock;
  underWay: Map<string, number>;
  /** Called when an order was placed, to wake the workers. */
  onPlaced: () => void;
};
export type PlaceOrderInput = {
  idempotencyKey: string;
  request: OrderRequest;
  /** For sandbox orders only. Not part of the request: a repeat with another scenario replays the order as it is. */
  scenario: Scenario | undefined;
};
export type PlaceOrderResult = { order: BoundOrder; replayed: boolean };

const IN_PROGRESS_AFTER_MS = 5_000;
/** After this many stale prices, the order is priced under the wallet's lock. */
const PRICINGS_AHEAD_MAX = 3;

/** Places an order, or returns the one that its key is bound to. */
export async function placeOrder(
  deps: PlaceOrderDeps,
  caller: Caller,
  input: PlaceOrderInput,
): Promise<PlaceOrderResult> {
  const binding = bindingKey(caller, input.idempotencyKey);
  const others = deps.underWay.get(binding) ?? 0;
  deps.underWay.set(binding, others + 1);
  try {
    return await submitUntilDecided(deps, caller, input, others > 0);
  } finally {
    const left = (deps.underWay.get(binding) ?? 1) - 1;
    if (left === 0) deps.underWay.delete(binding);
    else deps.underWay.set(binding, left);
  }
}

async function submitUntilDecided(
  deps: PlaceOrderDeps,
  caller: Caller,
  { idempotencyKey, request, scenario }: PlaceOrderInput,
  isDuplicate: boolean,
): Promise<PlaceOrderResult> {
  const giveUpAtMs = performance.now() + IN_PROGRESS_AFTER_MS;
  const orderId = idsOf(deps.clock)("ord");
  let { catalogRevision } = caller;
  for (let pricings = 1; ; pricings += 1) {
    const ids = [...new Set(request.lines.map((line) => line.productId))];
    const catalog = await deps.readProducts({ resellerId: caller.resellerId, catalogRevision }, ids);
    const placement: Placement = {
      orderId,
      resellerId: caller.resellerId,
      environment: caller.environment,
      actor: caller.actor,
      idempotencyKey,
      fingerprint: request.fingerprint,
      reference: request.reference,
      allOrNothing: request.allOrNothing,
      fate: orderFate(scenario),
      catalogRevision: catalog.catalogRevision,
      priced: await price(deps, caller.environment, { request, scenario, catalog }),
      createdAt: new Date(timeOfId(orderId)),
      ...(pricings > PRICINGS_AHEAD_MAX ? { priceAgain: priceIn(deps, caller, request, scenario, ids) } : {}),
    };
    const decision = await submitWhileBusy(deps, placement, giveUpAtMs, isDuplicate).catch(toFailure);
    // Whoever is told that nothing was decided may send the request again, and must not be refused before this one is over.
    if (decision.kind === "failed" && placement.isInDoubt) await delay(ARRIVES_WITHIN_MS);
    if (decision.kind === "placed") deps.onPlaced();
    if (decision.kind === "conflict") {
      throw await explainConflict(deps.db, bindingKey(caller, idempotencyKey), request);
    }
    if (decision.kind !== "stale") return answer(decision, orderId, caller);
    // The catalog changed between the pricing and the lock. The next pricing reads it again.
    catalogRevision = decision.catalogRevision;
  }
}

/** A refusal also goes to the batch: only under the wallet's lock is it known whether the key is bound. */
async function price(
  { findShortage }: Pick<PlaceOrderDeps, "findShortage">,
  environment: Tenant["environment"],
  { request, scenario, catalog }: Pricing,
  tx?: Tx,
): Promise<PricedOrder | Problem> {
  try {
    const priced = priceOrder(environment, request, catalog);
    if (scenario !== undefined && isForcedRefusal(scenario)) return refuseAsAsked(scenario, priced);
    // CONTRACT 7: the sandbox has unlimited stock.
    const shortage = environment === "live" ? await findShortage(wantedOf(priced), tx) : undefined;
    return shortage ? shortageProblem(priced, shortage) : priced;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

const toFailure = (error: unknown): { kind: "failed"; error: unknown } => ({ kind: "failed", error });

type Pricing = { request: OrderRequest; scenario: Scenario | undefined; catalog: PricedProducts };

const priceIn =
  (
    deps: PlaceOrderDeps,
    caller: Caller,
    request: OrderRequest,
    scenario: Scenario | undefined,
    ids: readonly string[],
  ) =>
  async (tx: Tx) => {
    const catalog = await readPricedProducts(tx, caller.resellerId, ids);
    return price(deps, caller.environment, { request, scenario, catalog }, tx);
  };

async function submitWhileBusy(
  deps: PlaceOrderDeps,
  placement: Placement,
  giveUpAtMs: number,
  isDuplicate: boolean,
): Promise<Exclude<BatchDecision, { kind: "busy" }>> {
  for (;;) {
    const submitted = deps.submit(placement);
    const decision = await (isDuplicate ? before(giveUpAtMs, submitted) : submitted);
    if (decision.kind !== "busy") return decision;
    if (performance.now() < giveUpAtMs) continue;
    throw isDuplicate
      ? new Problem("idempotency_in_progress", "Another request with this key is still in progress.", {
          headers: RETRY_SOON,
        })
      : new Problem("service_unavailable", "The wallet is busy.", { headers: RETRY_SOON });
  }
}

/** A duplicate need not wait for the request it repeats: its own submission can only replay. */
function before(deadlineMs: number, submitted: Promise<BatchDecision>): Promise<BatchDecision> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<BatchDecision>((resolve) => {
    timer = setTimeout(() => resolve({ kind: "busy" }), Math.max(0, deadlineMs - performance.now()) + 1);
  });
  return Promise.race([submitted, tooLate]).finally(() => clearTimeout(timer));
}

const RETRY_SOON = { "retry-after": "1" };

function answer(
  decision: Exclude<BatchDecision, { kind: "busy" } | { kind: "stale" } | { kind: "conflict" }>,
  orderId: string,
  caller: Caller,
): PlaceOrderResult {
  switch (decision.kind) {
    case "placed":
      return { order: decision.order, replayed: false };
    case "replayed":
      // A batch that was written again after a lost response finds its own order.
      return { order: decision.order, replayed: decision.order.id !== orderId };
    case "revoked":
      throw unauthenticated();
    case "refused":
      throw forCaller(decision.problem, caller);
    case "failed":
      throw decision.error;
  }
}

/** Insufficient funds: the balance is for those who may read it. */
function forCaller(problem: Problem, { scopes }: Caller): Problem {
  const { balance, ...members } = problem.options.members ?? {};
  if (!balance || !members.required) return problem;
  if (!scopes.includes("wallet:read"))
    return new Problem(problem.code, problem.message, { ...problem.options, members });
  const detail = `The wallet holds ${textOf(balance)} and the order costs ${textOf(members.required)}.`;
  return new Problem(problem.code, detail, problem.options);
}

const textOf = ({ amount, currency }: ProblemMoney): string =>
  `${formatAmount(BigInt(amount), currency)} ${currency}`;

/** The order that a key belongs to, and what this request has differently. */
async function explainConflict(db: Db, binding: string, request: OrderRequest): Promise<Problem> {
  const bound = await findBoundRequest(db, binding);
  // It is read after the decision, and orders are never removed.
  if (!bound) throw new Error("a key is bound to an order that is not there");
  const differs = differencesOf(request, bound);
  return new Problem(
    "idempotency_conflict",
    `This Idempotency-Key belongs to an order with different ${differs.join(" and ")}.`,
    { members: { orderId: bound.id, differs } },
  );
}
