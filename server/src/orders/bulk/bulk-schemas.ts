import { named } from "../../http/named-schema.ts";
import { problemSchema } from "../../http/openapi/problems.ts";
import { Type } from "../../http/openapi/type.ts";
import { IDEMPOTENCY_KEY_MAX_CHARACTERS } from "../idempotency-key.ts";
import { ORDER_EXAMPLE, orderRequestFields, placedOrder, replayed } from "../schemas.ts";

export const BATCH_ORDERS_MAX = 500;

const BatchOrder = named(
  "BatchOrder",
  Type.Object(
    {
      idempotencyKey: Type.String({
        minLength: 1,
        maxLength: IDEMPOTENCY_KEY_MAX_CHARACTERS,
        description: "A unique key for each order, 1 to 255 printable ASCII characters. Keys never expire.",
      }),
      ...orderRequestFields,
    },
    { additionalProperties: false, examples: [{ idempotencyKey: "invoice-1001", ...ORDER_EXAMPLE }] },
  ),
);

const limits = { minItems: 1, maxItems: BATCH_ORDERS_MAX };

export const PlaceOrdersRequest = named(
  "PlaceOrdersRequest",
  Type.Object({ orders: Type.Array(BatchOrder, limits) }, { additionalProperties: false }),
);

/** What refuses the whole body. Each order is checked separately. */
export const batchFrame = Type.Object(
  { orders: Type.Array(Type.Unknown(), limits) },
  { additionalProperties: false },
);

export type PlaceOrdersBody = { orders: unknown[] };

const BatchResult = named(
  "BatchResult",
  Type.Object(
    {
      idempotencyKey: Type.Optional(
        Type.String({ description: "The order's key as it was sent. Absent if it was not a string." }),
      ),
      order: Type.Optional(placedOrder),
      replayed,
      error: Type.Optional(
        Type.Unsafe<object>({
          ...problemSchema,
          properties: { ...problemSchema.properties, code: Type.String() },
          description:
            "Why this order was refused: the error that `POST /v1/orders` would have returned. Pointers are relative to the order.",
        }),
      ),
    },
    { description: "What became of one order: `order` or `error`." },
  ),
);

export const PlaceOrdersReply = named(
  "PlaceOrdersReply",
  Type.Object({ results: Type.Array(BatchResult, { description: "In the order in which they were sent." }) }),
);
