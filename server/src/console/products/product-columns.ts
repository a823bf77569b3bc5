import type { ImportColumn } from "../jobs/import-columns.ts";

/** The columns of a file of products. */
export const PRODUCT_FILE: readonly ImportColumn[] = [
  {
    name: "id",
    isRequired: true,
    what: "Your id of the product: letters, digits and . _ : -. It never changes.",
    example: "example-us-25",
  },
  { name: "name", isRequired: true, what: "What resellers read.", example: "Example Gift Card 25 USD" },
  { name: "type", what: "gift_card or top_up. Empty is gift_card.", example: "gift_card" },
  { name: "faceValue.amount", isRequired: true, what: "What one unit is worth.", example: "25.00" },
  { name: "faceValue.currency", isRequired: true, what: "Three capital letters.", example: "USD" },
  {
    name: "faceValue.unit",
    what: "What the amount counts, where it is not money, such as Gems.",
    example: "",
  },
  { name: "faceValue.isMoney", what: "true or false. Empty is true without a unit.", example: "true" },
  { name: "bonus", what: "What comes on top, in words.", example: "" },
  { name: "minQuantity", what: "Units of one order at least. Empty is 1.", example: "1" },
  { name: "maxQuantity", what: "Units of one order at most. Empty is 10.", example: "10" },
  { name: "inputFields", what: "What a top-up asks for, as JSON. Empty is nothing.", example: "" },
  { name: "active", what: "true or false. Empty is true for a new product.", example: "true" },
  {
    name: "hidden",
    what: "true or false. Empty keeps it, and is false for a new product.",
    example: "false",
  },
  {
    name: "brand",
    what: "The maker. An empty cell of this and the next columns removes it.",
    example: "Example",
  },
  { name: "category", what: "Such as Games.", example: "Games" },
  { name: "country", what: "Two capital letters.", example: "US" },
  { name: "description", what: "What it is, for buyers.", example: "" },
  { name: "redeemInstructions", what: "How a buyer uses the code.", example: "" },
  { name: "terms", what: "Terms of the maker.", example: "" },
  { name: "imageUrl", what: "The https address of a picture.", example: "" },
];

/** The columns of a file of prices. */
export const PRICE_FILE: readonly ImportColumn[] = [
  { name: "product", isRequired: true, what: "The id of a product.", example: "example-us-25" },
  { name: "list", what: "The price list. Either this or reseller.", example: "standard" },
  { name: "reseller", what: "The id of a reseller, for its own price.", example: "" },
  {
    name: "currency",
    what: "Three capital letters. Needed with a list; a reseller has the one of its wallet.",
    example: "USD",
  },
  { name: "amount", isRequired: true, what: "The price of one unit.", example: "24.50" },
  {
    name: "strike",
    what: "The price before a discount, for display. Not below the price.",
    example: "25.00",
  },
];
