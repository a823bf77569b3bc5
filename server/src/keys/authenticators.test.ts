import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Fastify, { type FastifyInstance } from "fastify";
import type { Authenticator } from "../http/authenticator.ts";
import { type Caller, callerOf } from "../http/caller.ts";
import { createRateLimiter } from "../http/rate-limit.ts";
import type { Actor } from "../lib/actor.ts";
import { Problem } from "../lib/problem.ts";
import { guardRequests } from "./guard-requests.ts";
import { createKeyAuthenticator } from "./key-authenticator.ts";

const callerFor = (actor: Actor): Caller => ({
  actor,
  resellerId: "rsl_1",
  environment: "live",
  scopes: ["orders:read"],
  allowedIps: [],
  rateLimits: { orders: undefined, reads: undefined },
  catalogRevision: "1.1",
});

const uses: string[] = [];
const keys = createKeyAuthenticator(
  async (key) =>
    key === "good" ? { caller: callerFor({ kind: "key", id: "id_1" }), lastUsedAt: null } : undefined,
  { record: (id, address) => void uses.push(`${id} from ${address}`), flush: async () => {} },
  (key) => Buffer.from(key),
);

/** As a later one might be: a session in a cookie. */
const sessions: Authenticator = {
  recognizes: ({ headers }) => headers.cookie !== undefined,
  authenticate: async ({ headers }) =>
    headers.cookie === "session=good" ? callerFor({ kind: "user", id: "id_1" }) : undefined,
};

let app: FastifyInstance;

before(async () => {
  app = Fastify();
  guardRequests(app, {
    authenticators: [keys, sessions],
    rateLimiter: createRateLimiter(() => 0),
    rateLimits: { orders: 1, reads: 1 },
    trustedProxies: [],
    findForcedAnswer: () => undefined,
  });
  app.setErrorHandler((error, _request, reply) =>
    reply.code(500).send(error instanceof Problem ? error.code : String(error)),
  );
  app.get("/", { config: { scope: "orders:read" } }, (request) => callerOf(request).actor);
  await app.ready();
});

after(() => app.close());

const ask = async (headers: Record<string, string>) =>
  (await app.inject({ method: "GET", url: "/", headers })).body;

test("the first authenticator that recognizes a request decides about it, whatever else is in it", async () => {
  const cookie = "session=good";
  const refused = [
    {},
    { cookie: "session=old" },
    { "x-api-key": "bad", cookie },
    { "x-api-key": "", cookie },
    { authorization: "Bearer bad", cookie },
    { authorization: "Basic good", cookie },
    { "x-api-key": "good", authorization: "Bearer other", cookie },
  ];
  for (const headers of refused)
    assert.equal(await ask(headers as Record<string, string>), "unauthenticated", JSON.stringify(headers));
  assert.deepEqual(uses, []);
});

test("callers of different kinds share no rate limit, though their ids may be equal, and only a key's use is noted", async () => {
  // A rate of one a second has a burst of two.
  for (const headers of [{ "x-api-key": "good", cookie: "session=good" }, { cookie: "session=good" }]) {
    const [first, second, third] = [await ask(headers), await ask(headers), await ask(headers)];
    const kind = "x-api-key" in headers ? "key" : "user";
    assert.deepEqual(
      [JSON.parse(first), JSON.parse(second), third],
      [{ kind, id: "id_1" }, { kind, id: "id_1" }, "rate_limited"],
    );
  }
  assert.deepEqual(uses, Array(3).fill("id_1 from 127.0.0.1"));
});
