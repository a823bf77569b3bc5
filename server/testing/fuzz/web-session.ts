import type { OpenApiDocument } from "../../src/http/openapi/openapi.ts";
import { toBytes } from "../upstream/wire-faults.ts";
import { createFuzzMemory } from "./fuzz-memory.ts";
import { fuzzOperations } from "./fuzz-operations.ts";
import { ANSWER_MAX_MS } from "./fuzz-run.ts";
import { type FuzzServer, startFuzzServer } from "./fuzz-server.ts";
import { type FuzzResult, type FuzzSession, judgeRun, sampling } from "./fuzz-session.ts";
import { warmUp } from "./fuzz-warm-up.ts";
import { createFuzzWorld, type FuzzWorld } from "./fuzz-world.ts";
import { createRawConnection } from "./raw-connection.ts";
import { PLANTED_COST_MINOR, SUPPLIER_WORD } from "./web-judge.ts";
import { createWebMemory } from "./web-memory.ts";
import { createWebPeople } from "./web-people.ts";
import { runWebFuzz } from "./web-run.ts";

const CODES = 400;
const PRICE_MINOR = 200_000n;

/**
 * Fuzzes the pages and forms of the dashboard and of the console on a real server, as a signed-in person of each role. Both
 * resellers have some of everything.
 */
export async function fuzzWeb(session: FuzzSession): Promise<FuzzResult> {
  const { db, connectionString } = session;
  const world = await createFuzzWorld(db, CODES, {
    priceMinor: PRICE_MINOR,
    costMinor: PLANTED_COST_MINOR,
    supplierName: `${SUPPLIER_WORD} supplier`,
  });
  const server = await startFuzzServer(connectionString);
  try {
    await fillTeams(server, world);
    const people = await createWebPeople(db, world.teams);
    const report = await runWebFuzz({
      ports: { dashboard: portOf(server.url), console: portOf(server.consoleUrl) },
      teams: world.teams.map(({ name }) => name),
      people,
      memory: createWebMemory(),
      receiverUrl: server.receiverUrl,
      seed: session.seed,
      requests: session.requests,
      stop: session.stop,
      onProgress: sampling(session, server),
    });
    const cookies = people.everyone.flatMap(({ cookie, token }) => [cookie, token]);
    return await judgeRun(session, server, report, [
      ...cookies,
      ...world.keys.flatMap(({ key }) => key ?? []),
    ]);
  } finally {
    await server.close();
  }
}

const portOf = (url: string): number => Number(new URL(url).port);

/** Orders, webhooks, events, deliveries and deposits of both resellers, by the API. */
async function fillTeams(server: FuzzServer, world: FuzzWorld): Promise<void> {
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument;
  const { receiverUrl, deadUrl } = server;
  const sources = {
    world,
    memory: createFuzzMemory(world),
    operations: fuzzOperations(document),
    receiverUrl,
    deadUrl,
  };
  await warmUp(sources, async (request) => {
    const connection = createRawConnection(portOf(server.url), ANSWER_MAX_MS);
    const reply = await connection.send(toBytes(request), request.method);
    connection.destroy();
    sources.memory.learn(request.key.tenant ?? "nobody", {
      operationId: request.operation.id,
      sent: () => "",
      reply,
    });
    return reply;
  });
}
