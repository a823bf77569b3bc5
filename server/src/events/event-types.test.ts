import assert from "node:assert/strict";
import { test } from "node:test";
import { Value } from "typebox/value";
import { EVENT_TYPES as SDK_EVENT_TYPES } from "../../../sdk/src/words.ts";
import { Type } from "../http/openapi/type.ts";
import { describeDeliveries } from "../webhooks/delivery/describe-deliveries.ts";
import { mergeData } from "./event-schemas.ts";
import { BROADCAST_TYPES, EVENT_TABLE, EVENT_TYPES, type EventFacts, isEventType } from "./event-types.ts";

const ROWS: [type: string, facts: EventFacts][] = Object.entries(EVENT_TABLE);

test("the example of each event type fits its schema, and each member is described", () => {
  for (const [type, { data, example, description }] of ROWS) {
    assert.ok(Value.Check(data, example), type);
    for (const [name, schema] of Object.entries(data.properties)) {
      assert.match(String("description" in schema && schema.description), /^[a-z`].*\.$/, `${type}: ${name}`);
    }
    assert.match(description, /^[A-Z].*\.$/, type);
  }
});

test("names are as the database allows them, and each has an operation in the API reference", () => {
  for (const [type, { subject }] of ROWS) {
    assert.match(type, /^[a-z]+\.[a-z_]+$/);
    assert.match(subject, /^[a-z]+$/);
  }
  assert.deepEqual(Object.keys(describeDeliveries()), EVENT_TYPES);
  assert.equal(new Set(ROWS.map(([, { operationId }]) => operationId)).size, ROWS.length);
});

test("the SDK knows the same event types in the same order", () => {
  assert.deepEqual([...SDK_EVENT_TYPES], EVENT_TYPES);
});

test("a test delivery is for the tested endpoint alone; every other type is for subscribers", () => {
  assert.deepEqual(
    EVENT_TYPES.filter((type) => !BROADCAST_TYPES.includes(type)),
    ["webhook.test"],
  );
});

test("members of data that share a name must be the same", () => {
  const text = Type.Object({ amount: Type.String({ description: "the amount." }) });
  const number = Type.Object({ amount: Type.Integer({ description: "the amount." }) });
  const { amount } = mergeData({ "a.one": { data: text }, "a.two": { data: text } });
  assert.equal((amount as { description?: string }).description, "With `a.one`, `a.two`: the amount.");
  assert.throws(() => mergeData({ "a.one": { data: text }, "a.two": { data: number } }), /data\.amount/);
});

test("what every object has is not an event type", () => {
  for (const name of ["constructor", "toString", "__proto__", ""]) assert.equal(isEventType(name), false);
});
