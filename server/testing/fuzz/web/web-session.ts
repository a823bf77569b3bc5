import { toBytes } from "../../upstream/wire-faults.ts";
import { createFuzzMemory } from "../fuzz-memory.ts";
import { fuzzOperations } from "../fuzz-operations.ts";
import { ANSWER_MAX_MS, type FuzzReport } from "../fuzz-run.ts";
import { warmUp } from "../fuzz-warm-up.ts";
import { createRawConnection } from "../raw-connection.ts";
import type { SurfaceRun } from "../surface-run.ts";
import { createWebMemory } from "./web-memory.ts";
import { createWebPeople } from "./web-people.ts";
import { runWebFuzz } from "./web-run.ts";

/** Fuzzes the pages and forms of the dashboard and of the console, as a signed-in person of each role. */
export async function fuzzPages(run: SurfaceRun): Promise<FuzzReport> {
  const { db, server, world } = run;
  if (!run.isFilled) await fillTeams(run);
  const people = await createWebPeople(db, world.teams);
  return runWebFuzz({
    ports: { dashboard: portOf(server.url), console: portOf(server.consoleUrl) },
    teams: world.teams.map(({ name }) => name),
    people,
    memory: createWebMemory(),
    receiverUrl: server.receiverUrl,
    seed: run.seed,
    requests: run.requests,
    stop: run.stop,
    ...(run.onProgress ? { onProgress: run.onProgress } : {}),
  });
}

const portOf = (url: string): number => Number(new URL(url).port);

/** Orders, webhooks, events, deliveries and deposits of both resellers, by the API. */
async function fillTeams({ server, world, document }: SurfaceRun): Promise<void> {
  const { receiverUrl, deadUrl } = server;
  const sources = {
    world,
    memory: createFuzzMemory(world),
    operations: fuzzOperations(document),
    receiverUrl,
    deadUrl,
  };
  const send = async (request: Parameters<Parameters<typeof warmUp>[1]>[0]) => {
    const connection = createRawConnection(portOf(server.url), ANSWER_MAX_MS);
    const reply = await connection.send(toBytes(request), request.method);
    connection.destroy();
    return reply;
  };
  await warmUp(sources, send);
}
