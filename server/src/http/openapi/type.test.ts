import assert from "node:assert/strict";
import { test } from "node:test";
import TypeBox from "typebox";
import { Type } from "./type.ts";

test("every schema is written as TypeBox writes it", () => {
  assert.equal(JSON.stringify(examplesOf(Type), null, 1), JSON.stringify(examplesOf(TypeBox), null, 1));
});

test("an optional property stays so in another object, and what it was made of does not become optional", () => {
  const text = Type.String();
  const optional = Type.Optional(text);
  assert.deepEqual(Type.Object({ text, optional }).required, ["text"]);
  assert.deepEqual(Type.Object({ optional, text }).required, ["text"]);
});

function examplesOf(builders: typeof Type): object[] {
  const text = builders.String({ minLength: 1, description: "A text." });
  const keyed = builders.Record(builders.String(), builders.Unknown(), { maxProperties: 3 });
  return [
    builders.String(),
    text,
    builders.Integer({ minimum: 0, default: 1 }),
    builders.Boolean(),
    builders.Boolean({ description: "Whether." }),
    builders.Unknown(),
    builders.Unknown({ description: "Anything." }),
    builders.Unsafe<string | null>({ type: ["string", "null"] }),
    builders.Array(text),
    builders.Array(builders.Optional(text), { minItems: 1 }),
    keyed,
    builders.Record(builders.String(), text),
    builders.Object({}),
    builders.Object({ text: builders.Optional(text) }),
    builders.Object({ text, keyed: builders.Optional(keyed), count: builders.Integer() }),
    builders.Object(
      { inner: builders.Object({ text }) },
      { additionalProperties: false, description: "One." },
    ),
  ];
}
