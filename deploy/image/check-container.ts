import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { BuiltImage } from "./build-image.ts";
import { orderSomething } from "./order-something.ts";
import { type Container, runContainer, succeeded } from "./run-container.ts";
import { freePort } from "./start-postgres.ts";

type Settings = Readonly<Record<string, string>>;
type Running = { container: Container; url: string; port: number; readyMs: number };

/** What docs/deploy.md promises. */
const STOP_WITHIN_MS = 10_000;
const PROBE_TIMEOUT_MS = 5_000;
const NO_CAPABILITY = /^Cap(?:Eff|Prm|Bnd):\t0+$/gm;

/** Runs the image as production would, and yields a line for each thing that holds. */
export async function* checkContainer(image: BuiltImage, databaseUrl: string): AsyncGenerator<string> {
  const settings = { DATABASE_URL: databaseUrl, SCRIP_MASTER_KEY: randomBytes(32).toString("base64") };
  yield* checkStart(image, settings);
  const running: Running[] = [];
  try {
    for (const role of ["api", "worker"] as const) running.push(await startRole(image, role, settings));
    const [api, worker] = running as [Running, Running];
    yield `ready: api after ${seconds(api.readyMs)}, worker after ${seconds(worker.readyMs)}`;
    yield* checkProcesses(image, running);
    const codes = await orderSomething(image, settings, api.url);
    yield `an order was placed, fulfilled and read: ${codes} codes`;
    succeeded(await runContainer(image, ["audit"], settings).ended);
    yield "scrip audit finds nothing";
    yield* checkStop(api, worker);
  } finally {
    for (const { container } of running) container.kill();
  }
}

async function* checkStart(image: BuiltImage, settings: Settings): AsyncGenerator<string> {
  const writes = await runContainer(image, [TRY_TO_WRITE], {}, ["node", "-e"]).ended;
  assert.equal(writes.stdout.trim(), "EROFS EROFS EROFS EROFS ok ok", writes.stderr);
  yield "the root file system is read-only; /tmp and DATA_DIR can be mounted over it";

  const alone = await runContainer(image, image.config.Cmd, {}).ended;
  assert.equal(alone.code, 1);
  assert.match(alone.stderr, /^scrip: .*set DATABASE_URL$/m);
  yield "without DATABASE_URL it ends with one line that asks for it";

  const migrated = succeeded(await runContainer(image, ["migrate"], settings).ended);
  assert.match(migrated.stdout, /^applied /);
  yield `migrate: ${seconds(migrated.elapsedMs)}`;
}

async function* checkProcesses(image: BuiltImage, running: readonly Running[]): AsyncGenerator<string> {
  for (const { container } of running) {
    const status = await container.readStatus();
    assert.match(status, /^Uid:\t10001\t10001\t10001\t10001$/m);
    assert.match(status, /^Gid:\t10001\t10001\t10001\t10001$/m);
    assert.match(status, /^Groups:\t\s*$/m);
    assert.match(status, /^NoNewPrivs:\t1$/m);
    assert.match(status, /^NSpid:\t\d+\t1$/m);
    assert.equal(status.match(NO_CAPABILITY)?.length, 3, status);
  }
  yield "process 1 is node, as user 10001 without groups, capabilities or new privileges";

  assert.ok(image.config.Healthcheck, "the image has a health check");
  const [, ...healthCheck] = image.config.Healthcheck.Test;
  for (const { port } of running) {
    for (const path of ["/healthz", "/readyz"]) {
      succeeded(await runContainer(image, [path], { PORT: String(port) }, healthCheck).ended);
    }
  }
  const nobody = { PORT: String(await freePort()) };
  assert.equal((await runContainer(image, [], nobody, healthCheck).ended).code, 1);
  yield "the health check tells a server that answers from none";
}

async function* checkStop(api: Running, worker: Running): AsyncGenerator<string> {
  const memory = await Promise.all([api, worker].map(({ container }) => residentMiB(container)));
  yield `memory: api ${memory[0]} MiB, worker ${memory[1]} MiB`;
  const ends = await Promise.all([api.container.stop(), worker.container.stop()]);
  for (const end of ends) {
    succeeded(end);
    assert.ok(end.elapsedMs < STOP_WITHIN_MS, `it took ${seconds(end.elapsedMs)} to stop`);
  }
  yield `stopped after SIGTERM: api within ${seconds(ends[0].elapsedMs)}, worker within ${seconds(ends[1].elapsedMs)}`;
}

const TRY_TO_WRITE = `
  const { writeFileSync } = require("node:fs");
  const folders = ["/", "/app", "/usr/local/bin", "/etc", "/tmp", "/var/lib/scrip"];
  console.log(folders.map((folder) => {
    try { writeFileSync(folder + "/probe", ""); return "ok"; } catch (error) { return error.code; }
  }).join(" "));
`;

async function startRole(image: BuiltImage, role: "api" | "worker", settings: Settings): Promise<Running> {
  const port = await freePort();
  const startedAt = performance.now();
  const address = { HOST: "127.0.0.1", PORT: String(port), METRICS_PORT: "0", CONSOLE_PORT: "0" };
  const container = runContainer(image, ["start", "--role", role], { ...settings, ...address });
  const url = `http://127.0.0.1:${port}`;
  await container.printed("Scrip is ready at");
  const reply = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
  assert.equal(reply.status, 200, `the ${role} is ready`);
  return { container, url, port, readyMs: performance.now() - startedAt };
}

async function residentMiB(container: Container): Promise<number> {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(await container.readStatus())?.[1];
  return Math.round(Number(kib) / 1024);
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
