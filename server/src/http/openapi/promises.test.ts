import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { drop } from "../../../testing/app/small-document.ts";
import { sizeFor } from "../../../testing/full-size.ts";
import { SEED } from "../../../testing/seed.ts";
import { findBreaks } from "./breaks.ts";
import type { OpenApiDocument } from "./openapi.ts";

/** Every so many promises is looked at; where that begins is drawn, so that in time each has its turn. */
const EVERY = sizeFor("fuzz", { share: 12, full: 1 });

const committed = JSON.parse(
  readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8"),
) as OpenApiDocument;

test(`removing anything that a client can rely on is detected as a break (SEED=${SEED})`, () => {
  const promises = placesIn(committed).filter(isPromise);
  assert.ok(promises.length > 50, `only ${promises.length} promises were found`);
  const looked = promises.filter((_, index) => index % EVERY === SEED % EVERY);
  const unnoticed = looked.filter((steps) => {
    const document = steps[0] === "paths" ? withOnePath(String(steps[1])) : committed;
    return findBreaks(document, drop(...steps)(document)).length === 0;
  });
  assert.deepEqual(unnoticed, []);
});

test("changed texts and examples and added fields in the committed document are not breaks", () => {
  const changed = JSON.stringify(committed, (member, value) => {
    if (member === "properties") return { ...value, added: { type: "string" } };
    if (member === "examples" && Array.isArray(value)) return ["other"];
    return TEXTS.has(member) && typeof value === "string" ? `${value} More.` : value;
  });
  assert.notEqual(changed, JSON.stringify(committed));
  assert.deepEqual(findBreaks(committed, JSON.parse(changed)), []);
});

const TEXTS: ReadonlySet<string> = new Set(["description", "summary", "title"]);
/** Below these members, keys are names that clients use. */
const NAMES: ReadonlySet<string> = new Set(
  "paths parameters headers content properties securitySchemes webhooks".split(" "),
);

/** The path to every node of the document. */
const placesIn = (parent: object, above: readonly string[] = []): string[][] =>
  Object.entries(parent).flatMap(([step, value]) => {
    const steps = [...above, step];
    return [steps, ...(typeof value === "object" && value ? placesIn(value, steps) : [])];
  });

function isPromise(steps: readonly string[]): boolean {
  const [last = "", parent = "", grandparent] = steps.toReversed();
  if (parent === "examples") return steps.includes("application/problem+json");
  if (parent === "responses") return !/^[45]/.test(last);
  return NAMES.has(parent) || grandparent === "paths" || last === "operationId";
}

/** One path is checked without the others, because checking all of them together takes minutes. */
const withOnePath = (path: string): OpenApiDocument => ({
  ...committed,
  paths: { [path]: committed.paths[path] ?? {} },
});
