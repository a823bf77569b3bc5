import type { Tenant } from "../http/caller.ts";
import type { Actor } from "../lib/actor.ts";
import { Problem } from "../lib/problem.ts";
import {
  type PlaceOrderDeps,
  type PlaceOrderInput,
  type PlaceOrderResult,
  placeOrder,
} from "./place-order.ts";

/** Places an order in the sandbox for a person, who has no key. Live orders are placed by the API. */
export async function placeTestOrder(
  deps: PlaceOrderDeps,
  tenant: Tenant,
  actor: Actor,
  input: PlaceOrderInput,
): Promise<PlaceOrderResult> {
  if (tenant.environment !== "test")
    throw new Problem("forbidden", "Only test orders can be placed here. Use the API for live orders.");
  const limits = { orders: undefined, reads: undefined };
  const caller = { ...tenant, actor, scopes: [], allowedIps: [], rateLimits: limits, catalogRevision: "" };
  return placeOrder(deps, caller, input);
}
