import Type, { type Static } from "typebox";
import { named } from "../http/named-schema.ts";
import { pageOf } from "../http/page.ts";

export const Money = named(
  "Money",
  Type.Object(
    {
      amount: Type.Integer({ description: "Value in the currency's minor units." }),
      currency: Type.String({ description: "ISO-4217 code.", pattern: "^[A-Z]{3}$" }),
      minorUnitExponent: Type.Integer({
        description:
          "Decimal places of the currency: amount divided by 10 to this power is the major-unit value.",
        minimum: 0,
        maximum: 4,
      }),
    },
    { examples: [{ amount: 2375, currency: "USD", minorUnitExponent: 2 }] },
  ),
);

const faceValueAmount = Type.String({ description: "Exact decimal string.", examples: ["25.00"] });

/** Catalog entries carry all four members. */
export const ProductFaceValue = named(
  "ProductFaceValue",
  Type.Object({
    amount: faceValueAmount,
    currency: Type.String({
      description:
        "ISO-4217 code: of the amount, or of what the item is sold in when the amount is not money.",
    }),
    unit: Type.String({ description: 'What `amount` counts: the currency, or in-game units such as "UC".' }),
    isMoney: Type.Boolean({
      description: "True when `amount` is money in `currency`; false when it counts in-game units.",
    }),
  }),
);

/** The single product has amount and currency only. */
export const ProductFaceValueBrief = named(
  "ProductFaceValueBrief",
  Type.Object({ amount: faceValueAmount, currency: Type.String({ description: "ISO-4217 code." }) }),
);

export const InputFieldOption = named(
  "InputFieldOption",
  Type.Object({
    value: Type.String({ description: "The value to submit for this option." }),
    label: Type.String({ description: "Human-readable display text." }),
    parentValue: Type.String({
      description:
        "For a cascading option: the value that must be chosen in the parent field, which is the nearest earlier select field. Empty otherwise.",
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
      description: "True when an order line for this product must carry this field.",
    }),
    regex: Type.String({ description: "RE2 pattern that the value must match. Empty when there is none." }),
    options: Type.Array(InputFieldOption, {
      description: "Allowed values of a select field, in display order. Empty otherwise.",
    }),
  }),
);

const productFields = {
  id: Type.String({ description: "Product id. An order line references it.", examples: ["nimbus-us-25"] }),
  name: Type.String({ description: "Human-readable name.", examples: ["Nimbus Store 25 USD"] }),
};

const productTerms = {
  price: Type.Optional(Money),
  strikePrice: Type.Optional(Money),
  bonus: Type.String({
    description: "Extra value granted with the item, as text. Empty when there is none.",
  }),
  minQuantity: Type.Integer({ description: "Lower bound on units per order line.", minimum: 1 }),
  maxQuantity: Type.Integer({ description: "Upper bound on units per order line.", minimum: 1 }),
  purchasable: Type.Boolean({ description: "True when the item has a price and can be ordered now." }),
  inputFields: Type.Optional(
    Type.Array(InputFieldSpec, {
      description: "Fields that an order line must carry. Absent when the product needs nothing.",
    }),
  ),
};

export const CatalogProduct = named(
  "CatalogProduct",
  Type.Object({ ...productFields, faceValue: ProductFaceValue, ...productTerms }),
);

export const Product = named(
  "Product",
  Type.Object({ ...productFields, faceValue: ProductFaceValueBrief, ...productTerms }),
);

export const CatalogPage = named("CatalogPage", pageOf(CatalogProduct));
export const ProductReply = named("ProductReply", Type.Object({ product: Product }));

export type CatalogProductView = Static<typeof CatalogProduct>;
export type ProductView = Static<typeof Product>;
