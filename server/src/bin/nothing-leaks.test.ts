import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { disguisesOf, findPlanted } from "../../testing/builders/find-planted.ts";
import { seedCluster } from "../../testing/database/seed-cluster.ts";
import { eventually } from "../../testing/eventually.ts";
import { type RunningScrip, runScrip, scripJson, startScrip } from "../../testing/processes/run-scrip.ts";
import { type FakeUpstream, startFakeUpstream } from "../../testing/upstream/fake-upstream.ts";
import { connectDatabase } from "../db/database.ts";
import { openEmbedded } from "../db/embedded/open-embedded.ts";

/** Long and random, so that none of them is anywhere by chance. */
const plant = (what: string): string => `${what}-${randomBytes(12).toString("hex")}`;
const PLANTED_CODE = plant("CODE");
const PLANTED_PIN = plant("PIN");

let folder: string;
let env: Record<string, string>;
let server: RunningScrip;
let upstream: FakeUpstream;
let key: string;
let metricsPort: number;
/** Everything that was printed, logged or answered, but for the codes that their owner asked for. */
const said: string[] = [];
/** What must be nowhere: the planted code and PIN, the reseller's key, the supplier's key, what the supplier sold. */
const secrets: string[] = [PLANTED_CODE, PLANTED_PIN];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-leaks-"));
  env = { DATA_DIR: join(folder, "data"), LOG_LEVEL: "trace" };
  metricsPort = await freePort();
  upstream = await startFakeUpstream({ seed: 1, faults: { "completes-at-once": 1 } });
  secrets.push(upstream.apiKey);
  await seedCluster(env.DATA_DIR ?? "");
  // Held open meanwhile, so that each command finds PostgreSQL running.
  const embedded = await openEmbedded({ dataDir: env.DATA_DIR ?? "", log: () => {} });
  try {
    await logEveryStatement();
    key = await fill();
    secrets.push(key);
    server = await startScrip([], { ...env, METRICS_PORT: String(metricsPort) });
  } finally {
    await embedded.close();
  }
});
after(async () => {
  await server?.stop("SIGTERM");
  await upstream.close();
  await rm(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** PostgreSQL's own log is told to hold as much as it can: every statement, with every parameter. */
async function logEveryStatement(): Promise<void> {
  await runScrip(["migrate"], env);
  await withDatabase(async (db) => {
    await db.rows(sql`alter system set log_min_duration_statement = 0`);
    await db.rows(sql`alter system set log_parameter_max_length = -1`);
    await db.rows(sql`select pg_reload_conf()`);
  });
}

async function withDatabase<T>(use: (db: ReturnType<typeof connectDatabase>) => Promise<T>): Promise<T> {
  const embedded = await openEmbedded({ dataDir: env.DATA_DIR ?? "", log: () => {} });
  const db = connectDatabase({
    connectionString: embedded.connectionString,
    applicationName: "scrip test",
    poolSize: 1,
    onConnectionLost: () => {},
  });
  try {
    return await use(db);
  } finally {
    await db.close();
    await embedded.close();
  }
}

/** A reseller with money, one product from stock and one from the upstream. */
async function fill(): Promise<string> {
  const run = async (...args: string[]) => {
    const finished = await runScrip(args, env);
    said.push(finished.stdout, finished.stderr);
    assert.equal(finished.code, 0, finished.stderr);
  };
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const faceValue = { amount: "25.00", currency: "USD" };
  const products = ["stocked", "bought"].map((id) => ({ id, name: id, faceValue }));
  await run("catalog", "import", await file("catalog.json", JSON.stringify({ products })));
  for (const { id } of products)
    await run(
      "price",
      "set",
      "--product",
      id,
      "--list",
      "standard",
      "--currency",
      "USD",
      "--amount",
      "20.00",
    );
  const stock = await file("stock.csv", `code,pin\n${PLANTED_CODE},${PLANTED_PIN}\n`);
  await run("stock", "import", "--product", "stocked", stock);
  // Refused, and named without being repeated.
  const again = await runScrip(["stock", "import", "--product", "stocked", stock], env);
  assert.equal(again.code, 1);
  said.push(again.stdout, again.stderr);
  const config = await file(
    "supplier.json",
    JSON.stringify({ baseUrl: upstream.baseUrl, apiKey: upstream.apiKey }),
  );
  const supplier = await scripJson<{ id: string }>(
    ["supplier", "add", "--kind", "scrip", "--name", "Upstream", "--config", config],
    env,
  );
  await run(
    "supplier",
    "route",
    "--product",
    "bought",
    "--supplier",
    supplier.id,
    "--priority",
    "1",
    "--cost",
    "8.10",
  );
  await run("supplier", "list");
  const about = ["--name", "Shop", "--currency", "USD", "--email", "owner@shop.example"];
  const { id } = await scripJson<{ id: string }>(["reseller", "create", ...about], env);
  await run("wallet", "credit", "--reseller", id, "--env", "live", "--amount", "1000.00", "--note", "hello");
  const created = await scripJson<{ key: string }>(["key", "create", "--reseller", id, "--env", "live"], env);
  return created.key;
}

const call = async (path: string, init: RequestInit = {}) => {
  const reply = await fetch(`${server.url}${path}`, {
    ...init,
    headers: { "x-api-key": key, "content-type": "application/json", ...init.headers },
  });
  return { status: reply.status, text: await reply.text() };
};

async function order(productId: string): Promise<string> {
  const placed = await call("/v1/orders", {
    method: "POST",
    headers: { "idempotency-key": `order of ${productId}` },
    body: JSON.stringify({ lines: [{ productId, quantity: 1 }] }),
  });
  said.push(placed.text);
  const { id } = JSON.parse(placed.text).order;
  return eventually("the order is completed", async () => {
    const read = await call(`/v1/orders/${id}`);
    said.push(read.text);
    return JSON.parse(read.text).order.status === "completed" ? id : undefined;
  });
}

test("a planted code, PIN and key are in no log, error, metric, table, data file or log of PostgreSQL", async () => {
  const stocked = await call(`/v1/orders/${await order("stocked")}/codes`);
  assert.equal(JSON.parse(stocked.text).data[0].code, PLANTED_CODE);
  const bought = await call(`/v1/orders/${await order("bought")}/codes`);
  secrets.push(JSON.parse(bought.text).data[0].code);
  await provokeErrors();
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  assert.match(metrics, /scrip_orders_ended_total/);
  said.push(metrics);
  said.push((await runScrip(["supplier", "statement"], env)).stdout);
  said.push((await runScrip(["stock", "level"], env)).stdout);
  const audited = await runScrip(["audit"], env);
  assert.equal(audited.code, 0, audited.stdout);
  said.push(audited.stdout);

  await withDatabase(async (db) => {
    await db.rows(sql`checkpoint`);
    for (const secret of secrets) assert.deepEqual(await findPlanted(db, secret), []);
  });
  const { stdout, stderr } = await server.stop("SIGTERM");
  assert.ok(stderr.includes("/v1/orders"), "the log was kept");
  said.push(stdout, stderr);
  for (const secret of secrets) assertNotIn("what was said", Buffer.from(said.join("\n")), secret);
  const files = await readFiles(join(folder, "data"));
  assert.ok(
    files.some(([name]) => /log/.test(name)),
    "PostgreSQL's log is among the files",
  );
  assert.ok(
    files.some(([, bytes]) => bytes.includes("insert into codes")),
    "statements were logged",
  );
  for (const [name, bytes] of files) for (const secret of secrets) assertNotIn(name, bytes, secret);
});

/** Whatever fails may quote what it was given. */
async function provokeErrors(): Promise<void> {
  const attempts: Promise<{ text: string }>[] = [
    call(`/v1/orders/${key}`),
    call(`/v1/catalog?cursor=${key}`),
    call(`/v1/orders?idempotencyKey=${key}`),
    call("/v1/orders", { method: "POST", body: `{"lines": "${PLANTED_CODE}"` }),
    call("/v1/nothing", { headers: { authorization: `Bearer ${key}` } }),
    call("/v1/balance", { headers: { "x-api-key": `${key.slice(0, -1)}x` } }),
  ];
  for (const attempt of attempts) {
    const { text } = await attempt;
    // An error may repeat the caller's own input to the caller; it is the log that must not.
    if (!text.includes(key) && !text.includes(PLANTED_CODE)) said.push(text);
  }
}

function assertNotIn(where: string, bytes: Buffer, secret: string): void {
  for (const form of disguisesOf(secret))
    assert.ok(!bytes.includes(form), `${where} holds a secret as ${form.slice(0, 4)}…`);
  assert.ok(!bytes.includes(Buffer.from(secret, "utf16le")), `${where} holds a secret in UTF-16`);
}

async function readFiles(path: string): Promise<[string, Buffer][]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async (file): Promise<[string, Buffer]> => {
      const name = join(file.parentPath, file.name);
      return [name, await readFile(name)];
    }),
  );
}
