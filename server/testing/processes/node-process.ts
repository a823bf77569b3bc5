// A process of the service in one of its roles, to be killed; see fork-node. What only one role needs is loaded by it alone.
import { endAtOnce } from "../../src/bin/end-at-once.ts";
import type { NodeSample, ReadyMessage, ServiceInput, ServiceMessage, ServiceRole } from "./fork-node.ts";
import type { RunningParts } from "./service-parts.ts";

const { role, input } = JSON.parse(process.argv[2] ?? "") as { role: ServiceRole; input: ServiceInput };
let { clockOffsetMs = 0 } = input;
endAtOnce();
process.on("message", (message: ServiceMessage) => {
  if (message === "sample") process.send?.(takeSample());
  else clockOffsetMs = message.clockOffsetMs;
});
const clock = { now: () => new Date(Date.now() + clockOffsetMs) };
const started = await start();
process.send?.({ ready: { port: started.port } } satisfies ReadyMessage);

// The one who started this process is gone or done with it.
process.once("disconnect", async () => {
  await started.stop();
  process.exit();
});

async function start(): Promise<RunningParts> {
  const { home } = input;
  if (home !== undefined && (role === "api" || role === "worker")) {
    const { startWholeServer } = await import("./whole-server.ts");
    return startWholeServer(role, { ...input, home }, clock);
  }
  const { startParts } = await import("./service-parts.ts");
  return startParts(role, input, clock);
}

function takeSample(): NodeSample {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return {
    heapBytes: heapUsed + external,
    rssBytes: rss,
    handles: process.getActiveResourcesInfo().length,
  };
}
