/** Whole minor units of the currency. */
export type Money = { amount: number; currency: string };

/** A later version of the API may know more of them. */
export type OrderStatus =
  | "pending"
  | "processing"
  | "completed"
  | "failed"
  | "refunded"
  | (string & Record<never, never>);

export type PlaceOrderInput = {
  lines: readonly {
    productId: string;
    quantity: number;
    /** Values by the `key` of each of the product's input fields. */
    inputFields?: Readonly<Record<string, string | number>>;
  }[];
  /** Your own identifier, to find the order by later. */
  reference?: string;
  /** Minor units; when the order costs something else now, nothing is placed. */
  expectedTotal?: number;
};

export type CallOptions = { signal?: AbortSignal };

/** One key for each order you mean to place: sent again with the same key it is the same order. */
export type PlaceOrderOptions = CallOptions & { idempotencyKey: string };

export type PlacedOrder = { id: string; status: OrderStatus; total: Money };

export type Order = PlacedOrder & {
  createdAt: string;
  updatedAt: string;
  reference?: string;
  refundedTotal: Money;
  lines: OrderLine[];
};

export type OrderLine = {
  productId: string;
  name: string;
  unitPrice: Money;
  quantity: number;
  lineTotal: Money;
  inputFields?: Record<string, string>;
  fulfilledQuantity: number;
  refundedQuantity: number;
  /** Why units of this line could not be delivered. */
  failureCode?: string;
};

export type OrderFilters = {
  status?: string;
  reference?: string;
  idempotencyKey?: string;
  productId?: string;
  /** Inclusive, RFC 3339. */
  createdFrom?: string;
  /** Exclusive, RFC 3339. */
  createdTo?: string;
  limit?: number;
  cursor?: string;
};

export type OrderPage = { data: Order[]; hasMore: boolean; nextCursor: string };

export type OrderCodes = { orderId: string; status: OrderStatus; data: DeliveredCode[] };

/** What one unit turned into; `type` is `code`, `url` or `topup`, and says which of the others is there. */
export type DeliveredCode = {
  id: string;
  lineIndex: number;
  productId: string;
  type: string;
  code?: string;
  pin?: string;
  serial?: string;
  url?: string;
  receipt?: string;
  expiresAt?: string;
  deliveredAt: string;
};
