import type { Tenant } from "../../http/caller.ts";
import type { OrderStatus } from "../../orders/status.ts";
import type { OrderScenario } from "../../sandbox/scenarios.ts";
import type { FailureCode } from "../../suppliers/supplier.ts";
import type { UnitKey } from "../../vault/code-place.ts";

/** An order that a worker has taken, and what of it is due. */
export type TakenOrder = Tenant & {
  id: string;
  status: OrderStatus;
  idempotencyKey: string;
  scenario: OrderScenario | null;
  createdAt: Date;
  allOrNothing: boolean;
  /** Something of it cannot be had, and it wants all or nothing: nothing more is bought for it. */
  isDoomed: boolean;
  units: DueUnit[];
};

/** A unit that waits and is to be looked at now. */
export type DueUnit = UnitKey & {
  productId: string;
  productType: "gift_card" | "top_up";
  inputFields: Record<string, string> | null;
  /** Whether it is the last unit of the order's last line. Looked up for orders with a scenario alone. */
  isLast: boolean;
  /** Every try to buy it, oldest first. */
  attempts: Attempt[];
};

export type Attempt = {
  number: number;
  supplierId: string;
  sku: string;
  status: "open" | "delivered" | "refused" | "quarantined";
  failureCode: FailureCode | null;
  upstreamId: string | null;
  doubtful: boolean;
  doubtedFailureCode: FailureCode | null;
  sends: number;
  looks: number;
  lastSentAt: Date | null;
  /** What it may cost, as its route said when it was opened. */
  costMinor: bigint | null;
  maxCostMinor: bigint | null;
  costCurrency: string | null;
  /** What the supplier said last that it costs, where it did. */
  priceMinor: bigint | null;
  priceCurrency: string | null;
};

/** One way to have a product, and whether its supplier can be asked now. */
export type Route = {
  productId: string;
  supplierId: string;
  /** Taken from the operator's own stock; else the supplier is called. */
  hasOwnStock: boolean;
  sku: string;
  costMinor: bigint | null;
  /** The most that is accepted for a unit; null for no more than the cost. */
  maxCostMinor: bigint | null;
  costCurrency: string | null;
  /** The breaker is open: nothing is bought there for the moment. */
  paused: boolean;
};
