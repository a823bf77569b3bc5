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

/** Must be in the log and never in a response. */
const INSIDE = "relation api_keys at 10.0.0.5:5432";

/** Sends one request to an app whose database fails every statement with this error. */
async function callWithout(databaseError: Error): Promise<{ reply: LightMyRequestResponse; logged: string }> {
  const lines: string[] = [];
  const fail = async () => {
    throw databaseError;
  };
  const db: Db = {
    rows: fail,
    transaction: fail,
    shortTransaction: fail,
    wholeTransaction: fail,
    listen: () => ({ close: async () => {} }),
    close: async () => {},
  };
  const anyKey = createSecretKey(Buffer.alloc(32));
  const keyring = fixedKeyring([secret(Buffer.alloc(32))]);
  const app = await buildApp({
    db,
    secrets: { pepper: anyKey, cursorKey: anyKey, codeDigestKey: anyKey, accountKey: anyKey },
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
  "connection refused": errorWith({ code: "ECONNREFUSED", address: "10.0.0.5", port: 5432 }),
  "every address refuses": Object.assign(new AggregateError([], INSIDE), { code: "ECONNREFUSED" }),
  "the host name does not resolve": errorWith({ code: "ENOTFOUND" }),
  "the connection broke": errorWith({ code: "ECONNRESET" }),
  "the server is shutting down": errorWith({ code: "57P01" }),
  "the server is starting up": errorWith({ code: "57P03" }),
  "the statement timed out": errorWith({ code: "57014" }),
  "there are too many connections": errorWith({ code: "53300" }),
  "a standby": errorWith({ code: "25006" }),
  "the driver gave up": new Error("Connection terminated unexpectedly"),
  "no connection became available": new Error("timeout exceeded when trying to connect"),
};

test("without its database the service returns 503 with Retry-After and leaks no internals", async () => {
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

test("an internal error returns 500 without details; the log line with the same request id has them", async () => {
  const error = errorWith({ code: "42P01", detail: "Key (digest)=(secret)", query: "select secret" });
  const { reply, logged } = await callWithout(error);
  assert.equal(reply.statusCode, 500);
  assert.equal(reply.json().code, "internal_error");
  assert.equal(reply.headers["retry-after"], undefined);
  assert.doesNotMatch(reply.body, /api_keys|42P01|digest|select|Error|\.ts/);
  assertLogged(logged, reply, INSIDE);
  assert.doesNotMatch(logged, /Key \(digest\)|select secret/);
});

test("a thrown value that is not an Error also returns 500", async () => {
  const { reply } = await callWithout("a plain text" as unknown as Error);
  assert.equal(reply.statusCode, 500);
  assert.doesNotMatch(reply.body, /a plain text/);
});

function assertLogged(logged: string, reply: LightMyRequestResponse, message: string): void {
  const line = logged.split("\n").find((candidate) => candidate.includes('"level":"error"')) ?? "";
  assert.equal(reply.json().request_id, reply.headers["x-request-id"]);
  assert.equal(JSON.parse(line).requestId, reply.headers["x-request-id"]);
  assert.ok(line.includes(message), line);
}
