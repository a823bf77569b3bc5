import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { Agent, get, type IncomingMessage } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { seedCluster } from "../../../testing/database/seed-cluster.ts";
import { createTestDatabase, type TestDatabase } from "../../../testing/database/test-database.ts";
import { eventually } from "../../../testing/eventually.ts";
import { freePort } from "../../../testing/processes/free-port.ts";
import { type RunningScrip, runScrip, scripJson, startScrip } from "../../../testing/processes/run-scrip.ts";
import { wideTest } from "../../../testing/wide-test.ts";
import { isAlive } from "../../db/embedded/process-state.ts";
import { BURST_SECONDS } from "../../http/rate-limit.ts";

/** It starts several processes, on a machine that may be busy. */
const START_TIMEOUT_MS = 180_000;
const REQUESTS = 6;
/** Reads per second of a key. */
const RATE = 10;
/** More than a process earns while it is not asked. */
const AT_ONCE = 24;
const FLOOD_MS = 3_000;
/** That is far above its rate. Without a pause the requests would take all of the machine. */
const FLOOD_EVERY_MS = 50;

let folder: string;
let external: TestDatabase;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip machine "));
  external = await createTestDatabase();
});

after(async () => {
  await external.drop();
  await rm(folder, { recursive: true, force: true });
});

test("several processes are one server: one port, one log, one sum of metrics, one database that stops last", async () => {
  const dataDir = join(folder, "embedded");
  await seedCluster(dataDir);
  const metricsPort = String(await freePort());
  const env = {
    DATA_DIR: dataDir,
    METRICS_PORT: metricsPort,
    CONSOLE_PORT: String(await freePort()),
    RATE_LIMIT_READS: String(RATE),
  };
  const scrip = await startScrip(["--processes", "3", "--demo", "--no-history"], env, START_TIMEOUT_MS);
  assert.equal(scrip.stdout().match(/Scrip is ready at/g)?.length, 1);
  const key = /sc_live_[0-9A-Za-z]{38}/.exec(scrip.stdout())?.[0] ?? "";
  const ask = async () =>
    await Promise.all(Array.from({ length: REQUESTS }, () => statusOf(`${scrip.url}/v1/catalog`, key)));
  assert.deepEqual(new Set(await ask()), new Set([200]));
  const served = await eventually("all requests are in the log", async () => {
    const lines = linesOf(scrip).filter(({ msg }) => msg === "request");
    return lines.length >= REQUESTS ? lines : undefined;
  });
  assert.deepEqual(new Set(served.map((line) => line.process)), new Set(["http-1", "http-2", "http-3"]));
  const countRequests = () => sumOf(metricsPort, "/v1/catalog");
  assert.equal(await countRequests(), REQUESTS);
  assert.equal(await statusOf(`http://127.0.0.1:${env.CONSOLE_PORT}/sign-in`), 200);

  const [killed] = pidsOf(scrip, "http-1");
  process.kill(Number(killed), "SIGKILL");
  await eventually("http-1 is back", async () => pidsOf(scrip, "http-1")[1]);
  assert.ok(linesOf(scrip).some(({ reason }) => reason === "process http-1 ended (SIGKILL)"));
  assert.deepEqual(new Set(await ask()), new Set([200]));
  assert.equal(await countRequests(), 2 * REQUESTS, "what the killed process had counted stays in the sum");

  const { data } = await scripJson<{ data: { id: string; lastFour: string }[] }>(["key", "list"], env);
  const id = data.find(({ lastFour }) => key.endsWith(lastFour))?.id ?? "";
  await scripJson(["key", "revoke", id], env);
  assert.deepEqual(new Set(await ask()), new Set([401]), "a revocation counts in every process at once");

  await assertOneAllowance(scrip, /sc_test_[0-9A-Za-z]{38}/.exec(scrip.stdout())?.[0] ?? "");

  const postmaster = Number(
    (await readFile(join(dataDir, "db", "data", "postmaster.pid"), "utf8")).split("\n")[0],
  );
  const pids = ["http-1", "http-2", "http-3", "worker-1"].map((label) => Number(pidsOf(scrip, label).at(-1)));
  assert.equal((await scrip.stop("SIGTERM")).code, 0);
  assert.deepEqual(pids.map(isAlive), [false, false, false, false]);
  assert.equal(isAlive(postmaster), false, "PostgreSQL has stopped too");
  assert.doesNotMatch(scrip.stderr(), /database connection lost|timed out/);
});

test("a process that cannot start ends the start in one line", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  t.after(() => other.close());
  await once(other, "listening");
  const { port } = other.address() as { port: number };
  const env = { ...settings("refused"), PORT: String(port), LOG_LEVEL: "silent" };
  const refused = await runScrip(["start", "--role", "api", "--processes", "2"], env);
  assert.equal(refused.code, 1);
  assert.equal(
    refused.stderr,
    `scrip: PORT ${port} is in use; stop the other program or set PORT to a different port\n`,
  );
  assert.equal(refused.stdout, "");
  const wrong = await runScrip(["start", "--processes", "0"], env);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /--processes must be a whole number from 1 to 64, not "0"/);
});

wideTest("workers share a port for their health, and end when the supervisor is killed", async () => {
  const scrip = await startScrip(
    ["--role", "worker", "--processes", "2"],
    settings("workers"),
    START_TIMEOUT_MS,
  );
  assert.equal(await statusOf(`${scrip.url}/readyz`), 200);
  const pids = ["worker-1", "worker-2"].map((label) => Number(pidsOf(scrip, label)[0]));
  assert.deepEqual(pids.map(isAlive), [true, true]);
  await scrip.stop("SIGKILL");
  await eventually("the workers are gone", async () => (pids.some(isAlive) ? undefined : true));
});

const settings = (name: string) => ({
  DATA_DIR: join(folder, name),
  DATABASE_URL: external.connectionString,
  SCRIP_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
});

type Line = { msg: string; process?: string; pid?: number; reason?: string };

const linesOf = (scrip: RunningScrip): Line[] =>
  scrip
    .stderr()
    .split("\n")
    // The last one is empty, or still being written.
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

/** The pids that a process of the machine has had so far. */
const pidsOf = (scrip: RunningScrip, label: string): (number | undefined)[] =>
  linesOf(scrip)
    .filter((line) => line.process === label && line.msg === "process ready")
    .map(({ pid }) => pid);

/** Without an agent each request has its own connection. */
async function ask(
  url: string,
  key = "",
  agent: Agent | false = false,
): Promise<{ status: number; text: string }> {
  const request = get(url, { agent, headers: { "x-api-key": key } });
  const [reply] = (await once(request, "response")) as [IncomingMessage];
  return { status: reply.statusCode ?? 0, text: (await reply.toArray()).join("") };
}

const statusOf = async (url: string, key?: string): Promise<number> => (await ask(url, key)).status;

const COUNTED_AS: Record<number, "accepted" | "refused" | "unavailable"> = {
  200: "accepted",
  429: "refused",
  503: "unavailable",
};

/** A key that asks all processes for more than its rate gets its burst and its rate once, within 10 %. */
async function assertOneAllowance({ url }: RunningScrip, key: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const startedAtMs = performance.now();
  const counts = { accepted: 0, refused: 0, unavailable: 0 };
  let sentAtMs = startedAtMs;
  while (sentAtMs - startedAtMs < FLOOD_MS || counts.refused < AT_ONCE) {
    sentAtMs = performance.now();
    const replies = await Promise.all(
      Array.from({ length: AT_ONCE }, () => ask(`${url}/v1/catalog?limit=1`, key, agent)),
    );
    for (const { status, text } of replies) {
      const count = COUNTED_AS[status];
      assert.ok(count !== undefined, `${status} ${text}`);
      counts[count] += 1;
    }
    await wait(FLOOD_EVERY_MS);
  }
  agent.destroy();
  const earned = (untilMs: number) => BURST_SECONDS * RATE + (RATE * (untilMs - startedAtMs)) / 1_000;
  const { accepted, unavailable } = counts;
  assert.ok(accepted <= 1.1 * earned(performance.now()), `${accepted} of ${earned(performance.now())}`);
  // A request that a starved database did not answer in time was within the allowance too.
  assert.ok(accepted + unavailable >= 0.9 * earned(sentAtMs) - 1, `${accepted} of ${earned(sentAtMs)}`);
}

/** The number of requests to a route in /metrics. */
async function sumOf(port: string, route: string): Promise<number> {
  const { text } = await ask(`http://127.0.0.1:${port}/metrics`);
  const lines = text.match(new RegExp(`duration_seconds_count\\{.*"${route}".*\\} \\d+`, "g")) ?? [];
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
