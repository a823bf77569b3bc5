import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../testing/any-character.ts";
import { SEED } from "../../testing/seed.ts";
import { type CursorScope, createCursorCodec } from "./cursor.ts";
import { Problem } from "./problem.ts";

const cursors = createCursorCodec(createSecretKey(Buffer.alloc(32, 1)));
const others = createCursorCodec(createSecretKey(Buffer.alloc(32, 2)));

const SCOPE: CursorScope = {
  resellerId: "rsl_1",
  environment: "live",
  endpoint: "listOrders",
  filters: { status: "pending", reference: "a" },
};

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

test("every position round-trips through a URL-safe cursor", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 200, unit: anyCharacter }), (position) => {
      const cursor = cursors.encode(SCOPE, position);
      assert.equal(encodeURIComponent(cursor), cursor);
      assert.equal(cursors.decode(SCOPE, cursor), position);
    }),
    { seed: SEED },
  );
});

test("the same position has the same cursor, regardless of filter order", () => {
  const turned = { ...SCOPE, filters: { reference: "a", status: "pending" } };
  assert.equal(cursors.encode(turned, "x"), cursors.encode(SCOPE, "x"));
});

test("a cursor from another reseller, environment, endpoint, filter or server is refused", () => {
  const elsewhere: CursorScope[] = [
    { ...SCOPE, resellerId: "rsl_2" },
    { ...SCOPE, environment: "test" },
    { ...SCOPE, endpoint: "listCatalog" },
    { ...SCOPE, filters: {} },
    { ...SCOPE, filters: { status: "pending" } },
    { ...SCOPE, filters: { status: "pending", reference: "b" } },
    // Parts that only match when concatenated.
    { ...SCOPE, resellerId: "rsl_1live", environment: "" },
    { ...SCOPE, filters: { "status,pending": "", reference: "a" } },
  ];
  for (const scope of elsewhere) {
    refuses(scope, cursors.encode(SCOPE, "prd_1"));
    refuses(SCOPE, cursors.encode(scope, "prd_1"));
  }
  refuses(SCOPE, others.encode(SCOPE, "prd_1"));
});

test("a cursor with a character changed, removed or added is refused", () => {
  // One position for each length modulo three, to cover every form of the last base64url character.
  for (const position of ["prd_1", "prd_12", "prd_123"]) {
    const cursor = cursors.encode(SCOPE, position);
    for (let index = 0; index < cursor.length; index += 1) {
      const [head, tail] = [cursor.slice(0, index), cursor.slice(index + 1)];
      for (const character of BASE64URL)
        if (character !== cursor[index]) refuses(SCOPE, head + character + tail);
      refuses(SCOPE, head + tail);
      refuses(SCOPE, `${head}A${cursor.slice(index)}`);
    }
  }
});

test("a cursor carries 128 bits of proof", () => {
  for (const position of ["x", "prd_123"])
    assert.equal(Buffer.from(cursors.encode(SCOPE, position), "base64url").length, 16 + position.length);
});

test("garbage is refused: other alphabets, padding, whitespace, too short and too long", () => {
  const cursor = cursors.encode(SCOPE, "prd_1");
  const garbage = [
    "A",
    "null",
    "0",
    `${cursor}=`,
    `${cursor}\n`,
    ` ${cursor}`,
    cursor.replace(/.$/, "+"),
    "é",
    "\0",
  ];
  for (const text of garbage) refuses(SCOPE, text);
  refuses(SCOPE, Buffer.alloc(16).toString("base64url"));
  refuses(SCOPE, "A".repeat(1_000_000));
});

function refuses(scope: CursorScope, cursor: string): void {
  try {
    cursors.decode(scope, cursor);
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    assert.equal(error.code, "invalid_cursor");
    assert.equal(error.options.errors?.[0]?.pointer, "?cursor");
    return;
  }
  assert.fail(`${cursor.slice(0, 100)} was accepted`);
}
