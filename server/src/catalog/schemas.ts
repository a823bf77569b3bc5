import type { Static } from "typebox";
import { named } from "../http/named-schema.ts";
import { Type } from "../http/openapi/type.ts";
import { pageOf } from "../http/page.ts";

export const Money = named(
  "Money",
  Type.Object(
    {
      amount: Type.Integer({ description: "Value in the currency's minor units." }),
      currency: Type.String({ description: "ISO 4217 currency code.", pattern: "^[A-Z]{3}$" }),
      minorUnitExponent: Type.Integer({
        description:
          "Number of decimals of the currency. The amount divided by 10 to this power is the value in major units.",
        minimum: 0,
        maximum: 4,
      }),
    },
    { examples: [{ amount: 2375, currency: "USD", minorUnitExponent: 2 }] },
  ),
);

const faceValueAmount = Type.String({ description: "Exact decimal string.", examples: ["25.00"] });

export const ProductFaceValue = named(
  "ProductFaceValue",
  Type.Object({
    amount: faceValueAmount,
    currency: Type.String({
      description:
        "ISO 4217 code of the amount, or of the currency the item is sold in when the amount is not money.",
    }),
    unit: Type.String({ description: 'What `amount` counts: the currency, or in-game units such as "UC".' }),
    isMoney: Type.Boolean({
      description: "True if `amount` is money in `currency`; false if it counts in-game units.",
    }),
  }),
);

export const InputFieldOption = named(
  "InputFieldOption",
  Type.Object({
    value: Type.String({ description: "The value to submit for this option." }),
    label: Type.String({ description: "Human-readable display text." }),
    parentValue: Type.String({
      description:
        "For a cascading option: the value that must be selected in the parent field, which is the nearest earlier select field. Otherwise empty.",
    }),
  }),
);

export const InputFieldSpec = named(
  "InputFieldSpec",
  Type.Object({
    key: Type.String({ description: "The key to use in the `inputFields` map of an order line." }),
    type: Type.String({
      description: "How to render and validate the value: `text`, `number` or `select`.",
      examples: ["text"],
    }),
    required: Type.Boolean({
      description: "True if an order line for this product must include this field.",
    }),
    regex: Type.String({ description: "RE2 pattern that the value must match. Empty if there is none." }),
    options: Type.Array(InputFieldOption, {
      description: "Allowed values of a select field, in display order. Otherwise empty.",
    }),
  }),
);

const productMembers = {
  id: Type.String({ description: "Product id. Use it in order lines.", examples: ["nimbus-us-25"] }),
  name: Type.String({ description: "Human-readable name.", examples: ["Nimbus Store 25 USD"] }),
  faceValue: ProductFaceValue,
  price: Type.Optional(Money),
  strikePrice: Type.Optional(Money),
  bonus: Type.String({
    description: "Extra value that comes with the item, as text. Empty if there is none.",
  }),
  minQuantity: Type.Integer({ description: "Minimum number of units per order line.", minimum: 1 }),
  maxQuantity: Type.Integer({ description: "Maximum number of units per order line.", minimum: 1 }),
  purchasable: Type.Boolean({ description: "True if the item has a price and can be ordered now." }),
  inputFields: Type.Optional(
    Type.Array(InputFieldSpec, {
      description: "Fields that an order line must include. Absent if the product needs none.",
    }),
  ),
  brand: Type.Optional(Type.String({ description: "Brand of the product.", examples: ["Nimbus"] })),
  category: Type.Optional(
    Type.String({ description: "Category, in the operator's words.", examples: ["Games"] }),
  ),
  country: Type.Optional(
    Type.String({
      description: "ISO 3166-1 alpha-2 code of the country it can be used in. Absent if it works worldwide.",
      examples: ["US"],
    }),
  ),
  description: Type.Optional(
    Type.String({ description: "What the product is, as plain text. Can have several lines." }),
  ),
  redeemInstructions: Type.Optional(
    Type.String({ description: "How the end customer redeems it, as plain text. Can have several lines." }),
  ),
  terms: Type.Optional(
    Type.String({ description: "Terms and conditions, as plain text. Can have several lines." }),
  ),
  imageUrl: Type.Optional(Type.String({ description: "An https address of a picture of the product." })),
  estimatedDeliverySeconds: Type.Optional(
    Type.Integer({
      description:
        "Time within which 95 % of the live orders of the last 7 days were delivered. Absent with fewer than 20 orders.",
      minimum: 1,
    }),
  ),
  updatedAt: Type.Optional(
    Type.String({
      format: "date-time",
      description:
        "When the operator last changed the product itself. Prices, availability and the delivery time are not part of it.",
    }),
  ),
};

export const CatalogProduct = named("CatalogProduct", Type.Object(productMembers));
export const Product = named("Product", Type.Object(productMembers));

export const CatalogPage = named("CatalogPage", pageOf(CatalogProduct));
export const ProductReply = named("ProductReply", Type.Object({ product: Product }));

export type ProductView = Static<typeof Product>;
