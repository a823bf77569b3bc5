import type { Tenant } from "../../http/caller.ts";
import type { OrderStatus } from "../../orders/status.ts";
import type { OrderScenario } from "../../sandbox/scenarios.ts";
import type { FailureCode } from "../../suppliers/supplier.ts";
import type { UnitKey } from "../../vault/code-place.ts";

/** An order that a worker has taken, with its due units. */
export type TakenOrder = Tenant & {
  id: string;
  status: OrderStatus;
  idempotencyKey: string;
  scenario: OrderScenario | null;
  createdAt: Date;
  allOrNothing: boolean;
  currency: string;
  /** It is all or nothing and part of it failed: nothing more is bought for it. */
  isDoomed: boolean;
  units: DueUnit[];
};

/** A waiting unit that is due. */
export type DueUnit = UnitKey & {
  productId: string;
  productType: "gift_card" | "top_up";
  inputFields: Record<string, string> | null;
  /** What was paid for it. */
  unitPriceMinor: bigint;
  /** Whether it is the last unit of the order's last line. Looked up for orders with a scenario alone. */
  isLast: boolean;
  /** Every attempt to buy it, oldest first. */
  attempts: Attempt[];
};

/**
 * `open`: nothing is known for sure. `refused`: nothing was bought and nothing will be. `not_made`: the supplier never took it, as far as
 * its books say. `quarantined`: it was bought, and what came must not be delivered.
 */
export type AttemptStatus = "open" | "delivered" | "refused" | "quarantined" | "not_made";

/** Why a purchase that is not found is not decided by itself, or that a person has decided. */
export type NotFoundState = "books_differ" | "too_many" | "confirmed";

export type Attempt = {
  number: number;
  supplierId: string;
  sku: string;
  value: string | null;
  fieldMap: Readonly<Record<string, string>> | null;
  status: AttemptStatus;
  failureCode: FailureCode | null;
  upstreamId: string | null;
  doubtful: boolean;
  doubtedFailureCode: FailureCode | null;
  /** Look-ups that did not find it and count, since the first of them. */
  notFoundLooks: number;
  notFoundSince: Date | null;
  notFoundState: NotFoundState | null;
  /** What the supplier's books had of it last, if they ever showed it. */
  toldState: "sold" | "pending" | null;
  sends: number;
  looks: number;
  lastSentAt: Date | null;
  /** What it may cost, by its route when it was opened. */
  costMinor: bigint | null;
  maxCostMinor: bigint | null;
  costCurrency: string | null;
  /** The last price that the supplier gave, if any. */
  priceMinor: bigint | null;
  priceCurrency: string | null;
};

/** A route of a product, and whether its supplier can be called now. */
export type Route = {
  productId: string;
  supplierId: string;
  /** Whether it is taken from the operator's own stock. Other suppliers are called. */
  hasOwnStock: boolean;
  sku: string;
  /** The face value to buy, where the supplier lets the buyer choose. */
  value: string | null;
  /** Under which names the supplier takes input fields. */
  fieldMap: Readonly<Record<string, string>> | null;
  costMinor: bigint | null;
  /** The maximum price of a unit. Null means the cost is the maximum. */
  maxCostMinor: bigint | null;
  costCurrency: string | null;
  /** The breaker is open, or the balance cannot pay: nothing is bought there for now. */
  paused: boolean;
  /** Why it comes at this place, for the record of the attempt. */
  chosen: string;
};
