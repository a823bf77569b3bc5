import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { after, before, test } from "node:test";
import type { FastifyInstance } from "fastify";
import { TEST_MASTER_KEY } from "../../testing/app/test-settings.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { freePort } from "../../testing/processes/free-port.ts";
import { type Config, readConfig } from "../config.ts";
import { startWorker } from "../fulfilment/start-worker.ts";
import type { Clock } from "../lib/clock.ts";
import { createLog } from "../lib/log.ts";
import { startWebhooks } from "../webhooks/start-webhooks.ts";
import { type Context, openContext } from "./open-context.ts";
import { type ServeSteps, serve } from "./serve.ts";

let database: TestDatabase;
let context: Context;

before(async () => {
  database = await createTestDatabase();
  const config = readConfig({
    DATABASE_URL: database.connectionString,
    SCRIP_MASTER_KEY: TEST_MASTER_KEY.toString("base64"),
    PORT: "0",
    METRICS_PORT: "0",
    CONSOLE_PORT: "0",
  });
  context = await openContext(config, {
    mayCreate: false,
    applicationName: "scrip test",
    poolSize: 4,
    statementTimeoutMs: 5_000,
    tell: () => {},
    onConnectionLost: () => {},
  });
});

after(async () => {
  await context.close();
  await database.drop();
});

const MANUAL: RequestInit = { redirect: "manual" };

const quiet = createLog("silent", { write: () => {} });
const fail = (): never => {
  throw new Error("this step fails");
};

/** Listens as always, and remembers where. */
function rememberPort() {
  let port = 0;
  const listen = async (app: FastifyInstance) => {
    await app.listen({ host: "127.0.0.1", port: 0 });
    ({ port } = app.server.address() as AddressInfo);
  };
  return { listen, port: () => port };
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true) ?? socket.destroy());
    socket.once("error", () => resolve(false));
  });

const withConsole = (changes: Partial<Config>): Context => ({
  ...context,
  config: { ...context.config, ...changes },
});

test("the console has its own listener, which a stop closes", async () => {
  const consolePort = await freePort();
  const server = await serve(withConsole({ consolePort }), quiet, "api");
  try {
    assert.equal(server.consoleAddress, `http://localhost:${consolePort}`);
    const console = await fetch(`http://127.0.0.1:${consolePort}/sign-in`);
    assert.match(await console.text(), /to the operator console/);
    assert.equal((await fetch(`${server.address}/sign-in`)).status, 404);
    assert.equal((await fetch(`http://127.0.0.1:${consolePort}/dashboard/sign-in`, MANUAL)).status, 303);
  } finally {
    await server.stop();
  }
  assert.equal(await isListening(consolePort), false);
});

test("a console's port in use ends the start when it was set, and is a warning when it was not", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  t.after(() => other.close());
  await once(other, "listening");
  const { port: consolePort } = other.address() as AddressInfo;
  await assert.rejects(
    serve(withConsole({ consolePort, consolePortWasAsked: true }), quiet, "api"),
    new RegExp(
      `^Error: CONSOLE_PORT ${consolePort} cannot be used: .*; set it to a free port, or to 0 for none$`,
    ),
  );
  const lines: string[] = [];
  const log = createLog("warn", { write: (line) => void lines.push(line) });
  const server = await serve(withConsole({ consolePort, consolePortWasAsked: false }), log, "api");
  await server.stop();
  assert.equal(server.consoleAddress, undefined);
  assert.match(lines.join(""), /the console is not served: its port is in use; set CONSOLE_PORT/);
});

test("a console that is off, and a worker, open no listener for it", async () => {
  const off = await serve(withConsole({ consolePort: 0 }), quiet, "api");
  await off.stop();
  assert.equal(off.consoleAddress, undefined);
  const worker = await serve(context, quiet, "worker", {
    serveConsole: () => assert.fail("a worker serves no console"),
  });
  await worker.stop();
});

test("a worker whose machine is a minute ahead, or gets there later, works with the time of the database", async () => {
  let aheadMs = 60_000;
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  const clocks: Clock[] = [];
  const worker = await serve({ ...context, clock }, quiet, "worker", {
    startWorker: (deps, limits) => {
      clocks.push(deps.clock);
      return startWorker(deps, limits);
    },
    startWebhooks: (deps) => {
      clocks.push(deps.clock);
      return startWebhooks(deps);
    },
  });
  try {
    assert.equal(clocks.length, 2);
    for (aheadMs of [60_000, 0, -60_000])
      for (const { now } of clocks) assert.ok(Math.abs(now().getTime() - Date.now()) < 30_000);
  } finally {
    await worker.stop();
  }
});

const failures: Record<string, Partial<ServeSteps>> = {
  metrics: { serveMetrics: async () => fail() },
  console: { serveConsole: async () => fail() },
  worker: { startWorker: fail },
  webhooks: { startWebhooks: fail },
};

for (const [name, steps] of Object.entries(failures)) {
  test(`a start whose ${name} step fails closes what the steps before it opened`, async () => {
    const { listen, port } = rememberPort();
    await assert.rejects(serve(context, quiet, "all", { ...steps, listen }), /this step fails/);
    assert.ok(port() > 0, "it had been listening");
    assert.equal(await isListening(port()), false);
  });
}

test("a start whose listener fails opens nothing else", async () => {
  await assert.rejects(
    serve(context, quiet, "all", {
      listen: async () => fail(),
      serveMetrics: () => assert.fail("too early"),
    }),
    /this step fails/,
  );
});
