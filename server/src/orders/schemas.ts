import type { Static } from "typebox";
import { INPUT_FIELDS_MAX } from "../catalog/input-field-spec.ts";
import { named } from "../http/named-schema.ts";
import { Type } from "../http/openapi/type.ts";
import { pageOf } from "../http/page.ts";
import { ORDER_STATUSES } from "./status.ts";
import { TIMELINE_TYPES } from "./timeline-queries.ts";

export const LINES_MAX = 50;
export const REFERENCE_MAX_CHARACTERS = 128;
/** What happens to an order if some units are unavailable. */
export const FULFILMENTS = ["partial", "all_or_nothing"] as const;
const PRODUCT_ID_MAX_CHARACTERS = 64;

const OrderLineRequest = Type.Object(
  {
    productId: Type.String({
      minLength: 1,
      maxLength: PRODUCT_ID_MAX_CHARACTERS,
      description: "A product id from the catalog.",
    }),
    quantity: Type.Integer({
      description:
        "Units to buy, within the product's `minQuantity` and `maxQuantity`. All lines together can have at most 10,000.",
    }),
    inputFields: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: INPUT_FIELDS_MAX,
        description:
          "Values by the `key` of each of the product's input fields. Strings; a whole number is accepted as its digits.",
      }),
    ),
  },
  { additionalProperties: false },
);

export const orderRequestFields = {
  lines: Type.Array(OrderLineRequest, { minItems: 1, maxItems: LINES_MAX }),
  reference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: REFERENCE_MAX_CHARACTERS,
      pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]+$",
      description: "Your own identifier, which you can use to find the order later.",
    }),
  ),
  expectedTotal: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        "The total you expect to pay, in minor units. If the actual total differs, no order is placed: 409 `price_changed`.",
    }),
  ),
  fulfilment: Type.Optional(
    Type.String({
      enum: [...FULFILMENTS],
      default: "partial",
      description:
        "`partial` delivers the available units and refunds the rest. `all_or_nothing` delivers the whole order or refunds all of it.",
    }),
  ),
};

export const ORDER_EXAMPLE = {
  lines: [{ productId: "nimbus-us-25", quantity: 2 }],
  reference: "invoice-1001",
};

export const PlaceOrderRequest = named(
  "PlaceOrderRequest",
  Type.Object(orderRequestFields, { additionalProperties: false, examples: [ORDER_EXAMPLE] }),
);

export type PlaceOrderBody = {
  lines: { productId: string; quantity: number; inputFields?: Record<string, unknown> }[];
  reference?: string;
  expectedTotal?: number;
  fulfilment?: (typeof FULFILMENTS)[number];
};

export const OrderMoney = named(
  "OrderMoney",
  Type.Object(
    {
      amount: Type.Integer({ description: "Value in the currency's minor units." }),
      currency: Type.String({ description: "ISO 4217 currency code." }),
    },
    { examples: [{ amount: 4750, currency: "USD" }] },
  ),
);

const status = Type.String({
  description: `One of ${ORDER_STATUSES.map((one) => `\`${one}\``).join(", ")}.`,
  examples: ["pending"],
});
const orderId = Type.String({ description: "Order id.", examples: ["ord_01m7ef4g9je00974k1yf0xf7j3"] });

export const placedOrder = Type.Object({ id: orderId, status, total: OrderMoney });
export const replayed = Type.Optional(
  Type.Boolean({
    description: "`true` if an earlier request with the same key placed the order. Absent otherwise.",
  }),
);
export const PlacedOrderReply = named("PlacedOrderReply", Type.Object({ order: placedOrder, replayed }));

const OrderLine = named(
  "OrderLine",
  Type.Object({
    productId: Type.String(),
    name: Type.String({ description: "The product's name at the time of ordering." }),
    unitPrice: OrderMoney,
    quantity: Type.Integer(),
    lineTotal: OrderMoney,
    inputFields: Type.Optional(Type.Record(Type.String(), Type.String())),
    fulfilledQuantity: Type.Integer({ description: "Units delivered so far." }),
    refundedQuantity: Type.Integer({ description: "Units refunded." }),
    failureCode: Type.Optional(
      Type.String({ description: "Why units of this line could not be delivered." }),
    ),
  }),
);

export const Order = named(
  "Order",
  Type.Object({
    id: orderId,
    status,
    total: OrderMoney,
    createdAt: Type.String({ format: "date-time" }),
    updatedAt: Type.String({ format: "date-time" }),
    reference: Type.Optional(Type.String()),
    fulfilment: Type.Optional(
      Type.String({ description: "One of `partial`, `all_or_nothing`. Absent if it is `partial`." }),
    ),
    refundedTotal: OrderMoney,
    lines: Type.Array(OrderLine),
  }),
);

export const OrderReply = named("OrderReply", Type.Object({ order: Order }));
export const OrderPage = named("OrderPage", pageOf(Order));

const TimelineEntry = named(
  "TimelineEntry",
  Type.Object(
    {
      at: Type.String({ format: "date-time" }),
      type: Type.String({
        description: `One of ${TIMELINE_TYPES.map((one) => `\`${one}\``).join(", ")}. New types may be added.`,
      }),
      lineIndex: Type.Optional(Type.Integer({ description: "With `unit_…`: the line, counted from 0." })),
      unitIndex: Type.Optional(Type.Integer({ description: "With `unit_…`: the unit, counted from 0." })),
      failureCode: Type.Optional(
        Type.String({ description: "With `unit_refused`: why the unit could not be delivered." }),
      ),
      amount: Type.Optional(OrderMoney),
      eventId: Type.Optional(Type.String({ description: "With `event_…`: the event." })),
      eventType: Type.Optional(Type.String()),
      webhookId: Type.Optional(
        Type.String({ description: "With `event_delivered`: the endpoint that acknowledged it." }),
      ),
      codeCount: Type.Optional(Type.Integer({ description: "With `codes_revealed`: how many codes." })),
      keyId: Type.Optional(
        Type.String({ description: "With `codes_revealed`: the API key that read them." }),
      ),
    },
    { examples: [{ at: "2030-01-31T12:00:00.000Z", type: "accepted" }] },
  ),
);

export const TimelineReply = named("TimelineReply", Type.Object({ data: Type.Array(TimelineEntry) }));

export type TimelineEntryView = Static<typeof TimelineEntry>;
export type OrderView = Static<typeof Order>;
