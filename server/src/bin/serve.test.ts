import assert from "node:assert/strict";
import { type AddressInfo, connect } from "node:net";
import { after, before, test } from "node:test";
import type { FastifyInstance } from "fastify";
import { TEST_MASTER_KEY } from "../../testing/app/test-settings.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { readConfig } from "../config.ts";
import { createLog } from "../lib/log.ts";
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

const failures: Record<string, Partial<ServeSteps>> = {
  metrics: { serveMetrics: async () => fail() },
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
