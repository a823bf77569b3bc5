import type { Static } from "typebox";
import { named } from "../../http/named-schema.ts";
import { Type } from "../../http/openapi/type.ts";
import { ORDER_STATUSES } from "../../orders/status.ts";

const text = (description: string) => Type.Optional(Type.String({ description }));

export const OrderCode = named(
  "OrderCode",
  Type.Object({
    id: Type.String({ description: "Code id.", examples: ["cod_06f1m0000g7s3v9c2d8k4n1q5r"] }),
    lineIndex: Type.Integer({ description: "Which line of the order, from 0." }),
    unitIndex: Type.Optional(Type.Integer({ description: "With `sealed`: which unit of the line, from 0." })),
    productId: Type.String({ description: "Product id." }),
    type: Type.String({
      description: "`code`, `url` or `topup`. New types may be added.",
      examples: ["code"],
    }),
    code: text("The code, when `type` is `code`."),
    pin: text("The PIN that belongs to it."),
    serial: text("The serial number printed with it."),
    url: text("Where to redeem it, when `type` is `url`."),
    receipt: text("The receipt of a top-up, when `type` is `topup`."),
    sealed: Type.Optional(
      Type.Object(
        {
          kid: Type.String({ description: "The id of your public key." }),
          enc: Type.String({ description: "HPKE's encapsulated key, 32 bytes in base64url." }),
          ciphertext: Type.String({
            description:
              "In base64url. It opens with `info` = `scrip code|{orderId}|{lineIndex}|{unitIndex}` and no additional data, to a JSON object with the members that it replaces.",
          }),
        },
        {
          description:
            "Instead of `code`, `pin`, `serial` and `url`, if you have registered an encryption key.",
        },
      ),
    ),
    expiresAt: Type.Optional(Type.String({ format: "date-time", description: "When it expires." })),
    deliveredAt: Type.String({ format: "date-time", description: "When it was delivered." }),
  }),
);

export const OrderCodesReply = named(
  "OrderCodes",
  Type.Object({
    orderId: Type.String({ description: "Order id." }),
    status: Type.String({ description: `The order's status: ${ORDER_STATUSES.join(", ")}.` }),
    data: Type.Array(OrderCode),
  }),
);

export type OrderCodeView = Static<typeof OrderCode>;
export type OrderCodesView = Static<typeof OrderCodesReply>;
