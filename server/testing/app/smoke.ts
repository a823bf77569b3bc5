import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { fillDemo } from "../../src/admin/fill-demo.ts";
import { audit } from "../../src/audit/audit.ts";
import { type Context, openContext } from "../../src/bin/open-context.ts";
import { serve } from "../../src/bin/serve.ts";
import { readConfig } from "../../src/config.ts";
import { listKeyRows } from "../../src/keys/queries.ts";
import { revokeKey } from "../../src/keys/revoke-key.ts";
import { createLog } from "../../src/lib/log.ts";
import { eventually } from "../eventually.ts";
import { startHttpsReceiver } from "../receivers/https-receiver.ts";
import { ok } from "../receivers/receiver-answers.ts";
import { caCertificate } from "../receivers/tls-fixture.ts";

/** As in `scrip start`. Operator commands have none. */
const STATEMENT_TIMEOUT_MS = 15_000;
const PRODUCT = "nimbus-us-10";
/** Letters whose case and bytes depend on the locale and the encoding. */
const REFERENCE = "Iıİi ß ☃ \\ 'quoted'";

/**
 * The whole path on a given database: migrate, start, order, deliver a webhook, revoke a key, audit. Fails if any
 * step fails, or if a warning or error was logged.
 */
export async function smoke(databaseUrl: string): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "scrip-smoke-"));
  const logged: string[] = [];
  const log = createLog("warn", { write: (line: string) => void logged.push(line) });
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    PORT: "0",
    METRICS_PORT: "0",
    CONSOLE_PORT: "0",
    WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
  });
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, caCertificate]);
  const open = (statementTimeoutMs: number) =>
    openContext(config, {
      mayCreate: true,
      applicationName: "scrip smoke",
      poolSize: 8,
      statementTimeoutMs,
      tell: () => {},
      onConnectionLost: (err) => log.warn({ err }, "database connection lost"),
    });
  try {
    const command = await open(0);
    const { resellers } = await fillDemo(command).finally(command.close);
    const context = await open(STATEMENT_TIMEOUT_MS);
    try {
      const server = await serve(context, log, "all");
      try {
        for (const key of [resellers[0].liveKey, resellers[1].testKey]) await buy(server.address, key);
        await revoke(context, server.address, resellers[0]);
      } finally {
        await server.stop();
      }
      const broken = (await audit(context.db)).invariants.filter((invariant) => !invariant.ok);
      assert.deepEqual(broken, [], "the audit finds nothing");
    } finally {
      await context.close();
    }
    assert.deepEqual(logged, [], "no warnings or errors are logged");
  } finally {
    setDefaultCACertificates(trusted);
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Registers a webhook, places an order, waits for its end, reads the codes, and waits for the event. */
async function buy(url: string, key: string): Promise<void> {
  const receiver = await startHttpsReceiver(ok);
  const ask = async <T>(path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${url}/v1${path}`, {
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      headers: {
        "x-api-key": key,
        "idempotency-key": "smoke-1",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
    });
    const text = await response.text();
    assert.ok(response.ok, `${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  try {
    await ask("/webhooks", { url: receiver.url() });
    const catalog = await ask<{ data: { id: string }[] }>("/catalog?limit=50");
    assert.deepEqual(
      catalog.data.map(({ id }) => id),
      catalog.data.map(({ id }) => id).sort(),
    );
    const productId = catalog.data.find(({ id }) => id === PRODUCT)?.id ?? "nimbus-eu-10";
    const order = { lines: [{ productId, quantity: 2 }], reference: REFERENCE };
    const placed = await ask<Placed>("/orders", order);
    assert.deepEqual((await ask<Placed>("/orders", order)).order.id, placed.order.id, "a replay");
    await eventually("the order is completed", async () =>
      (await ask<Placed>(`/orders/${placed.order.id}`)).order.status === "completed" ? true : undefined,
    );
    const found = await ask<{ data: { reference: string }[] }>(
      `/orders?reference=${encodeURIComponent(REFERENCE)}`,
    );
    assert.deepEqual(
      found.data.map(({ reference }) => reference),
      [REFERENCE],
    );
    const codes = await ask<{ data: unknown[] }>(`/orders/${placed.order.id}/codes`);
    assert.equal(codes.data.length, 2);
    assert.ok((await ask<{ data: unknown[] }>("/wallet/entries")).data.length >= 2);
    const hook = await eventually("the event is delivered", async () => receiver.requests[0]);
    assert.match(hook.body.toString(), /order\.fulfilled/);
  } finally {
    await receiver.close();
  }
}

type Placed = { order: { id: string; status: string } };

async function revoke(
  context: Context,
  url: string,
  reseller: { id: string; liveKey: string },
): Promise<void> {
  const balance = () => fetch(`${url}/v1/balance`, { headers: { "x-api-key": reseller.liveKey } });
  assert.equal((await balance()).status, 200);
  const keys = await listKeyRows(context.db, reseller.id);
  const live = keys.find(({ environment }) => environment === "live");
  await revokeKey(context.db, context.clock, live?.id ?? "");
  assert.equal((await balance()).status, 401);
}

/** A unique name for a database or a role. */
export const freshName = (): string => `smoke_${process.pid}_${randomBytes(6).toString("hex")}`;
