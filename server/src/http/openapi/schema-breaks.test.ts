import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  drop,
  type Edit,
  ITEM,
  ORDER,
  PLACE,
  put,
  smallDocument,
} from "../../../testing/app/small-document.ts";
import { findBreaks } from "./breaks.ts";

/** What is done to the small document, and the one break that it is. */
const breaking: Record<string, readonly [Edit, string]> = {
  "a response field that is gone": [drop(...ITEM, "name"), "Item.name is gone from replies"],
  "a field of a referenced schema that is gone": [
    drop("components", "schemas", "Money", "properties", "currency"),
    "Money.currency is gone from replies",
  ],
  "a field of an array's items that is gone": [
    drop(...ITEM, "parts", "items", "properties", "label"),
    "Item.parts[].label is gone from replies",
  ],
  "a field of a nested object that is gone": [
    drop(...ITEM, "size", "properties", "height"),
    "Item.size.height is gone from replies",
  ],
  "a field of an inline reply that is gone": [
    drop(...PLACE, "responses", "202", "content", "application/json", "schema", "properties", "status"),
    "POST /v1/items 202.status is gone from replies",
  ],
  "a field that an allOf brought and that is gone": [
    drop("components", "schemas", "Stamped", "properties", "createdAt"),
    "Item.createdAt is gone from replies",
  ],
  "a field of one variant that is gone": [
    drop(...ITEM, "proof", "anyOf", 1, "properties", "url"),
    "Item.proof.url is gone from replies",
  ],
  "a variant that is new in replies": [
    put({ type: "integer" }, ...ITEM, "proof", "anyOf", 2),
    'Item.proof may be something new in replies: {"type":"integer"}',
  ],
  "a response field's type": [
    put({ type: "string" }, "components", "schemas", "Money", "properties", "amount"),
    "Money.amount changed its type in replies from integer to string",
  ],
  "a response field that may be null": [
    put(["string", "null"], ...ITEM, "name", "type"),
    "Item.name changed its type in replies from string to null or string",
  ],
  "a response field's format": [
    put("uuid", ...ITEM, "id", "format"),
    "Item.id changed its format in replies from item-id to uuid",
  ],
  "the type of an array's items": [
    put("integer", ...ITEM, "tags", "items", "type"),
    "Item.tags[] changed its type in replies from string to integer",
  ],
  "the type of a map's values": [
    put({ type: "integer" }, ...ITEM, "labels", "additionalProperties"),
    "Item.labels.* changed its type in replies from string to integer",
  ],
  "a response field that was always there": [
    put(["id"], "components", "schemas", "Item", "required"),
    "Item.name is not always in replies any more",
  ],
  "a value of a response that is renamed": [
    put(["open", "shut"], ...ITEM, "state", "enum"),
    'Item.state lost the value "closed" in replies',
  ],
  "a literal of a response that is renamed": [
    put([{ const: "gift" }, { const: "topup" }], ...ITEM, "kind", "oneOf"),
    'Item.kind lost the value "card" in replies',
  ],
  "a request field that is gone": [drop(...ORDER, "note"), "ItemOrder.note is gone from requests"],
  "a request field that was optional": [
    put(["productId", "note"], "components", "schemas", "ItemOrder", "required"),
    "ItemOrder.note is required in requests now",
  ],
  "a new request field that is required": [
    (document) =>
      put(
        ["productId", "color"],
        "components",
        "schemas",
        "ItemOrder",
        "required",
      )(put({ type: "string" }, ...ORDER, "color")(document)),
    "ItemOrder.color is required in requests now",
  ],
  "a request field's type": [
    put({ type: "integer" }, ...ORDER, "note"),
    "ItemOrder.note changed its type in requests from string to integer",
  ],
  "a request field that takes one type less": [
    put("string", ...ORDER, "weight", "type"),
    "ItemOrder.weight changed its type in requests from number or string to string",
  ],
  "a request field that takes integers alone": [
    put("integer", ...ORDER, "ratio", "type"),
    "ItemOrder.ratio changed its type in requests from number to integer",
  ],
  "a variant that a request no longer takes": [
    drop(...ORDER, "target", "anyOf", 1),
    "ItemOrder.target changed its type in requests from integer to string",
  ],
  "a format that a request must have": [
    put("email", ...ORDER, "note", "format"),
    "ItemOrder.note changed its format in requests from none to email",
  ],
  "an enum value that a request no longer takes": [
    put(["web"], ...ORDER, "channel", "enum"),
    'ItemOrder.channel lost the value "shop" in requests',
  ],
  "an enum where a request took anything": [
    put(["a"], ...ORDER, "note", "enum"),
    "ItemOrder.note takes only some values in requests now",
  ],
  "a maximum that is lowered": [
    put(9, ...ORDER, "quantity", "maximum"),
    "ItemOrder.quantity changed its maximum in requests from 10 to 9",
  ],
  "a maximum that is new": [
    put(9, ...ORDER, "ratio", "maximum"),
    "ItemOrder.ratio changed its maximum in requests from none to 9",
  ],
  "a minimum that is raised": [
    put(2, ...ORDER, "quantity", "minimum"),
    "ItemOrder.quantity changed its minimum in requests from 1 to 2",
  ],
  "a maxLength that is lowered": [
    put(10, ...ORDER, "note", "maxLength"),
    "ItemOrder.note changed its maxLength in requests from 100 to 10",
  ],
  "a minItems that is new": [
    put(1, ...ORDER, "lines", "minItems"),
    "ItemOrder.lines changed its minItems in requests from none to 1",
  ],
  "a pattern that is new": [
    put("^a", ...ORDER, "note", "pattern"),
    'ItemOrder.note changed its pattern in requests from none to "^a"',
  ],
  "a pattern that is another": [
    put("^[a-z]+$", ...ORDER, "productId", "pattern"),
    'ItemOrder.productId changed its pattern in requests from "^[a-z-]+$" to "^[a-z]+$"',
  ],
  "a request that no longer takes other fields": [
    put(false, "components", "schemas", "ItemOrder", "additionalProperties"),
    "ItemOrder.* is gone from requests",
  ],
};

/** What SPEC.md, Versioning, has clients tolerate, and what asks less of them than before. */
const additive: Record<string, Edit> = {
  "a new response field": put({ type: "string" }, ...ITEM, "color"),
  "a new field in an array's items": put(
    { type: "string" },
    ...ITEM,
    "parts",
    "items",
    "properties",
    "color",
  ),
  "a new value in a response": put(["open", "closed", "lost"], ...ITEM, "state", "enum"),
  "a new literal in a response": put(
    [{ const: "card" }, { const: "topup" }, { const: "esim" }],
    ...ITEM,
    "kind",
    "oneOf",
  ),
  "literals written as an enum": put({ type: "string", enum: ["card", "topup"] }, ...ITEM, "kind"),
  "a format where a response had none": put("uri", ...ITEM, "name", "format"),
  "a new optional request field": put({ type: "string" }, ...ORDER, "color"),
  "another description of a field": put("Another.", ...ITEM, "name", "description"),
  "another example": put(["b"], ...ITEM, "name", "examples"),
  "a required request field that is optional now": put([], "components", "schemas", "ItemOrder", "required"),
  "a request enum that takes more": put(["web", "shop", "phone"], ...ORDER, "channel", "enum"),
  "a request that takes anything": drop(...ORDER, "channel", "enum"),
  "a request that takes numbers": put("number", ...ORDER, "quantity", "type"),
  "a maximum that is raised": put(20, ...ORDER, "quantity", "maximum"),
  "a maximum that is gone": drop(...ORDER, "quantity", "maximum"),
  "a minimum that is lowered": put(0, ...ORDER, "quantity", "minimum"),
  "a minimum length of zero": put(0, ...ORDER, "note", "minLength"),
  "a pattern that is gone": drop(...ORDER, "productId", "pattern"),
  "a variant that a request takes now": put({ type: "boolean" }, ...ORDER, "target", "anyOf", 2),
  "a schema moved into components": (document) =>
    put(
      { $ref: "#/components/schemas/Size" },
      ...ITEM,
      "size",
    )(put(smallDocument.components.schemas.Item.properties.size, "components", "schemas", "Size")(document)),
};

suite("a break is found", () => {
  for (const [title, [edit, message]] of Object.entries(breaking)) {
    test(title, () => assert.deepEqual(findBreaks(smallDocument, edit(smallDocument)), [message]));
  }
});

suite("no break is", () => {
  for (const [title, edit] of Object.entries(additive)) {
    test(title, () => assert.deepEqual(findBreaks(smallDocument, edit(smallDocument)), []));
  }
});
