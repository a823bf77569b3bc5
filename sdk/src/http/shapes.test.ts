import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { test } from "node:test";
import type { Client } from "../client.ts";
import { answeredBy, codes, json, order } from "../testing/answering-server.ts";
import { exampleOf, findOperations, readDocument } from "../testing/openapi.ts";
import { REPLIES } from "./replies.ts";
import { readAs, ShapeError } from "./shapes.ts";

const DOCUMENT = readDocument();
const OPERATIONS = findOperations(DOCUMENT);
const SECRET = "BEARER-MONEY";

type Reader = { status: number; good: object; call(client: Client): Promise<unknown> };

const READERS: Record<string, Reader> = {
  place: {
    status: 202,
    good: { order: { id: "ord_1", status: "pending", total: { amount: 1, currency: "USD" } } },
    call: ({ orders }) => orders.place({ lines: [] }, { idempotencyKey: "k" }),
  },
  get: {
    status: 200,
    good: { order: withOptional() },
    call: ({ orders }) => orders.get("ord_1"),
  },
  list: {
    status: 200,
    good: { data: [withOptional()], hasMore: false, nextCursor: "" },
    call: ({ orders }) => orders.list(),
  },
  codes: {
    status: 200,
    good: codes({ code: SECRET, pin: "1", serial: "2", url: "3", receipt: "4", expiresAt: "5" }),
    call: ({ orders }) => orders.codes("ord_1"),
  },
};

/** Optional members. */
const OPTIONAL = /\.(reference|inputFields|failureCode|code|pin|serial|url|receipt|expiresAt|player)$/;

function withOptional(): object {
  const base = order();
  const [line] = base.lines;
  return { ...base, lines: [{ ...line, failureCode: "f", inputFields: { player: SECRET } }] };
}

for (const [name, { status, good, call }] of Object.entries(READERS)) {
  test(`${name}: a response with a missing member or a wrong type is an invalid response`, async () => {
    let body: unknown = good;
    const wrong = [...brokenCopies(good, "", OPTIONAL), { at: "all", copy: [] }, { at: "all", copy: null }];
    assert.ok(wrong.length > 20, `only ${wrong.length} ways to break it`);
    const answer: RequestListener = (request, response) => json(body, { status })(request, response);
    await answeredBy(answer, async (server) => {
      await call(server.client());
      for (const { at, copy } of wrong) {
        body = copy;
        await assert.rejects(
          call(server.client()),
          ({ code, status: told, message }: { code?: string; status?: number; message?: string }) =>
            code === "invalid_response" && told === status && !message?.includes(SECRET),
          at,
        );
      }
    });
  });
}

const ANY = /^/;
const NONE = /^(?!)/;
/** Amounts that can be negative. */
const SIGNED = /^listWalletEntries.*\.(amount|balanceAfter) is -1$/;

test("no response of any operation is returned with a missing member or a wrong type", () => {
  for (const [id, shape] of Object.entries(REPLIES)) {
    const schema = OPERATIONS.get(id)?.reply ?? {};
    const [full, least] = [exampleOf(DOCUMENT, schema, true), exampleOf(DOCUMENT, schema, false)];
    const broken = [...brokenCopies(full, id, ANY), ...brokenCopies(least, id, NONE)];
    const wrong = broken.filter(({ at }) => !SIGNED.test(at));
    assert.deepEqual([readAs<unknown>(shape, full), readAs<unknown>(shape, least)], [full, least]);
    for (const { at, copy } of wrong) assert.throws(() => readAs<unknown>(shape, copy), ShapeError, at);
  }
});

/** Each member in turn: missing (unless optional), null, and of a wrong type. */
function* brokenCopies(
  value: unknown,
  at: string,
  mayLack: RegExp,
): Generator<{ at: string; copy: unknown }> {
  if (typeof value !== "object" || value === null) return;
  const put = (name: string, replacement: unknown) =>
    Array.isArray(value) ? value.with(Number(name), replacement) : { ...value, [name]: replacement };
  for (const [name, member] of Object.entries(value)) {
    const path = `${at}.${name}`;
    if (!Array.isArray(value) && !mayLack.test(path)) yield { at: path, copy: put(name, undefined) };
    for (const other of [null, true, -1, 1.5, 2 ** 53, "text", [], {}].filter((it) => isWrong(it, member))) {
      yield { at: `${path} is ${JSON.stringify(other)}`, copy: put(name, other) };
    }
    for (const broken of brokenCopies(member, path, mayLack))
      yield { at: broken.at, copy: put(name, broken.copy) };
  }
}

function isWrong(other: unknown, member: unknown): boolean {
  if (typeof member === "number") return true;
  if (Array.isArray(member)) return !Array.isArray(other);
  if (typeof other !== typeof member) return true;
  return typeof member === "object" && (other === null || Array.isArray(other));
}
