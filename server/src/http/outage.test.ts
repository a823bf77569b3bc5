import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { test } from "node:test";
import type { LightMyRequestResponse } from "fastify";
import { buildApp } from "../app.ts";
import type { Db } from "../db/database.ts";
import { generateKey } from "../keys/key-format.ts";
import { systemClock } from "../lib/clock.ts";
import { createLog } from "../lib/log.ts";
import { secret } from "../lib/secret.ts";
import { createCodeVault } from "../vault/code-vault.ts";
import { fixedKeyring } from "../vault/keyring.ts";
import { createMetrics } from "./metrics.ts";

/** What must be in the log and never in an answer. */
const INSIDE = "relation api_keys at 10.0.0.5:5432";

/** The app on a database that fails every statement in this way, and one request to it. */
async function callWithout(databaseError: Error): Promise<{ reply: LightMyRequestResponse; logged: string }> {
  const lines: string[] = [];
  const fail = async () => {
    throw databaseError;
  };
  const db: Db = {
    rows: fail,
    transaction: fail,
    listen: () => ({ close: async () => {} }),
    close: async () => {},
  };
  const anyKey = createSecretKey(Buffer.alloc(32));
  const keyring = fixedKeyring([secret(Buffer.alloc(32))]);
  const app = await buildApp({
    db,
    secrets: { pepper: anyKey, cursorKey: anyKey, codeDigestKey: anyKey },
    keyring,
    codeVault: createCodeVault(keyring),
    clock: systemClock,
    log: createLog("info", { write: (line) => void lines.push(line) }),
    metrics: createMetrics(),
    baseUrl: () => "https://api.scrip.example",
    trustedProxies: [],
    rateLimits: { orders: 0, reads: 0 },
    webhooks: { egressIps: [], allowNetworks: [] },
    metricsArePublic: false,
    isReady: async () => false,
  });
  const reply = await app.inject({ url: "/v1/catalog", headers: { "x-api-key": generateKey("live") } });
  await app.close();
  return { reply, logged: lines.join("") };
}

const errorWith = (members: object, message = INSIDE): Error => Object.assign(new Error(message), members);

const OUTAGES: Readonly<Record<string, Error>> = {
  "nobody listens": errorWith({ code: "ECONNREFUSED", address: "10.0.0.5", port: 5432 }),
  "every address refuses": Object.assign(new AggregateError([], INSIDE), { code: "ECONNREFUSED" }),
  "the name is gone": errorWith({ code: "ENOTFOUND" }),
  "the connection broke": errorWith({ code: "ECONNRESET" }),
  "the server is stopping": errorWith({ code: "57P01" }),
  "the server is starting": errorWith({ code: "57P03" }),
  "the statement took too long": errorWith({ code: "57014" }),
  "there are too many connections": errorWith({ code: "53300" }),
  "a standby": errorWith({ code: "25006" }),
  "the driver gave up": new Error("Connection terminated unexpectedly"),
  "no connection came free": new Error("timeout exceeded when trying to connect"),
};

test("without its database the service answers 503 with Retry-After and tells nothing of its insides", async () => {
  for (const [name, error] of Object.entries(OUTAGES)) {
    const { reply, logged } = await callWithout(error);
    assert.equal(reply.statusCode, 503, name);
    assert.equal(reply.json().code, "service_unavailable", name);
    assert.equal(reply.headers["retry-after"], "1", name);
    assert.doesNotMatch(
      reply.body + JSON.stringify(reply.headers),
      /10\.0\.0\.5|5432|api_keys|terminated|timeout/,
      name,
    );
    assertLogged(logged, reply, error.message);
  }
});

test("a fault of ours is 500 and tells nothing of it; the log line with the same request id does", async () => {
  const error = errorWith({ code: "42P01", detail: "Key (digest)=(secret)", query: "select secret" });
  const { reply, logged } = await callWithout(error);
  assert.equal(reply.statusCode, 500);
  assert.equal(reply.json().code, "internal_error");
  assert.equal(reply.headers["retry-after"], undefined);
  assert.doesNotMatch(reply.body, /api_keys|42P01|digest|select|Error|\.ts/);
  assertLogged(logged, reply, INSIDE);
  assert.doesNotMatch(logged, /Key \(digest\)|select secret/);
});

test("what is thrown and is no error is 500 too", async () => {
  const { reply } = await callWithout("a mere text" as unknown as Error);
  assert.equal(reply.statusCode, 500);
  assert.doesNotMatch(reply.body, /a mere text/);
});

function assertLogged(logged: string, reply: LightMyRequestResponse, message: string): void {
  const line = logged.split("\n").find((candidate) => candidate.includes('"level":"error"')) ?? "";
  assert.equal(reply.json().request_id, reply.headers["x-request-id"]);
  assert.equal(JSON.parse(line).requestId, reply.headers["x-request-id"]);
  assert.ok(line.includes(message), line);
}
