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

/** An edit of the small document, and the one break that it causes. */
const breaking: Record<string, readonly [Edit, string]> = {
  "a removed response field": [drop(...ITEM, "name"), "Item.name was removed from responses"],
  "a removed field of a referenced schema": [
    drop("components", "schemas", "Money", "properties", "currency"),
    "Money.currency was removed from responses",
  ],
  "a removed field of an array's items": [
    drop(...ITEM, "parts", "items", "properties", "label"),
    "Item.parts[].label was removed from responses",
  ],
  "a removed field of a nested object": [
    drop(...ITEM, "size", "properties", "height"),
    "Item.size.height was removed from responses",
  ],
  "a removed field of an inline response": [
    drop(...PLACE, "responses", "202", "content", "application/json", "schema", "properties", "status"),
    "POST /v1/items 202.status was removed from responses",
  ],
  "a removed field of an allOf part": [
    drop("components", "schemas", "Stamped", "properties", "createdAt"),
    "Item.createdAt was removed from responses",
  ],
  "a removed field of one variant": [
    drop(...ITEM, "proof", "anyOf", 1, "properties", "url"),
    "Item.proof.url was removed from responses",
  ],
  "a new variant in a response": [
    put({ type: "integer" }, ...ITEM, "proof", "anyOf", 2),
    'Item.proof has a new variant in responses: {"type":"integer"}',
  ],
  "a changed type of a response field": [
    put({ type: "string" }, "components", "schemas", "Money", "properties", "amount"),
    "Money.amount changed its type in responses from integer to string",
  ],
  "a response field that becomes nullable": [
    put(["string", "null"], ...ITEM, "name", "type"),
    "Item.name changed its type in responses from string to null or string",
  ],
  "a changed format of a response field": [
    put("uuid", ...ITEM, "id", "format"),
    "Item.id changed its format in responses from item-id to uuid",
  ],
  "a changed type of an array's items": [
    put("integer", ...ITEM, "tags", "items", "type"),
    "Item.tags[] changed its type in responses from string to integer",
  ],
  "a changed type of a map's values": [
    put({ type: "integer" }, ...ITEM, "labels", "additionalProperties"),
    "Item.labels.* changed its type in responses from string to integer",
  ],
  "a response field that becomes optional": [
    put(["id"], "components", "schemas", "Item", "required"),
    "Item.name is no longer always present in responses",
  ],
  "a renamed response value": [
    put(["open", "shut"], ...ITEM, "state", "enum"),
    'Item.state lost the value "closed" in responses',
  ],
  "a renamed response literal": [
    put([{ const: "gift" }, { const: "topup" }], ...ITEM, "kind", "oneOf"),
    'Item.kind lost the value "card" in responses',
  ],
  "a removed request field": [drop(...ORDER, "note"), "ItemOrder.note was removed from requests"],
  "a request field that becomes required": [
    put(["productId", "note"], "components", "schemas", "ItemOrder", "required"),
    "ItemOrder.note is now required in requests",
  ],
  "a new required request field": [
    (document) =>
      put(
        ["productId", "color"],
        "components",
        "schemas",
        "ItemOrder",
        "required",
      )(put({ type: "string" }, ...ORDER, "color")(document)),
    "ItemOrder.color is now required in requests",
  ],
  "a changed type of a request field": [
    put({ type: "integer" }, ...ORDER, "note"),
    "ItemOrder.note changed its type in requests from string to integer",
  ],
  "a request field that accepts one type less": [
    put("string", ...ORDER, "weight", "type"),
    "ItemOrder.weight changed its type in requests from number or string to string",
  ],
  "a request field that accepts only integers": [
    put("integer", ...ORDER, "ratio", "type"),
    "ItemOrder.ratio changed its type in requests from number to integer",
  ],
  "a variant that a request no longer accepts": [
    drop(...ORDER, "target", "anyOf", 1),
    "ItemOrder.target changed its type in requests from integer to string",
  ],
  "a newly required format in a request": [
    put("email", ...ORDER, "note", "format"),
    "ItemOrder.note changed its format in requests from none to email",
  ],
  "an enum value that a request no longer accepts": [
    put(["web"], ...ORDER, "channel", "enum"),
    'ItemOrder.channel lost the value "shop" in requests',
  ],
  "an enum where a request accepted any value": [
    put(["a"], ...ORDER, "note", "enum"),
    "ItemOrder.note accepts only some values in requests now",
  ],
  "a lowered maximum": [
    put(9, ...ORDER, "quantity", "maximum"),
    "ItemOrder.quantity changed its maximum in requests from 10 to 9",
  ],
  "a new maximum": [
    put(9, ...ORDER, "ratio", "maximum"),
    "ItemOrder.ratio changed its maximum in requests from none to 9",
  ],
  "a raised minimum": [
    put(2, ...ORDER, "quantity", "minimum"),
    "ItemOrder.quantity changed its minimum in requests from 1 to 2",
  ],
  "a lowered maxLength": [
    put(10, ...ORDER, "note", "maxLength"),
    "ItemOrder.note changed its maxLength in requests from 100 to 10",
  ],
  "a new minItems": [
    put(1, ...ORDER, "lines", "minItems"),
    "ItemOrder.lines changed its minItems in requests from none to 1",
  ],
  "a new pattern": [
    put("^a", ...ORDER, "note", "pattern"),
    'ItemOrder.note changed its pattern in requests from none to "^a"',
  ],
  "a changed pattern": [
    put("^[a-z]+$", ...ORDER, "productId", "pattern"),
    'ItemOrder.productId changed its pattern in requests from "^[a-z-]+$" to "^[a-z]+$"',
  ],
  "a request that no longer accepts additional fields": [
    put(false, "components", "schemas", "ItemOrder", "additionalProperties"),
    "ItemOrder.* was removed from requests",
  ],
};

/** Changes that SPEC.md, Versioning, allows, and changes that require less from clients. */
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
  "a changed description of a field": put("Another.", ...ITEM, "name", "description"),
  "a changed example": put(["b"], ...ITEM, "name", "examples"),
  "a request field that becomes optional": put([], "components", "schemas", "ItemOrder", "required"),
  "a request enum that accepts more values": put(["web", "shop", "phone"], ...ORDER, "channel", "enum"),
  "a request that accepts any value": drop(...ORDER, "channel", "enum"),
  "a request that accepts numbers": put("number", ...ORDER, "quantity", "type"),
  "a raised maximum": put(20, ...ORDER, "quantity", "maximum"),
  "a removed maximum": drop(...ORDER, "quantity", "maximum"),
  "a lowered minimum": put(0, ...ORDER, "quantity", "minimum"),
  "a minimum length of zero": put(0, ...ORDER, "note", "minLength"),
  "a removed pattern": drop(...ORDER, "productId", "pattern"),
  "a new variant in a request": put({ type: "boolean" }, ...ORDER, "target", "anyOf", 2),
  "a schema moved into components": (document) =>
    put(
      { $ref: "#/components/schemas/Size" },
      ...ITEM,
      "size",
    )(put(smallDocument.components.schemas.Item.properties.size, "components", "schemas", "Size")(document)),
};

suite("a break is detected", () => {
  for (const [title, [edit, message]] of Object.entries(breaking)) {
    test(title, () => assert.deepEqual(findBreaks(smallDocument, edit(smallDocument)), [message]));
  }
});

suite("no break is reported", () => {
  for (const [title, edit] of Object.entries(additive)) {
    test(title, () => assert.deepEqual(findBreaks(smallDocument, edit(smallDocument)), []));
  }
});
