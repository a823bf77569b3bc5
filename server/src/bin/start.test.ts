import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { seedCluster } from "../../testing/database/seed-cluster.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { freePort } from "../../testing/processes/free-port.ts";
import {
  type RunningScrip,
  runScrip,
  runScripShared,
  scripJson,
  startScrip,
} from "../../testing/processes/run-scrip.ts";
import { SCRIP_SOURCE } from "../../testing/processes/spawn-node.ts";
import { wideTest } from "../../testing/wide-test.ts";
import { openDataDir } from "../db/embedded/open-data-dir.ts";
import { isAlive } from "../db/embedded/process-state.ts";

/** It creates a database and fills it, on a machine that may be busy. */
const START_TIMEOUT_MS = 180_000;

let folder: string;
let external: TestDatabase;
/** A server on that database, and a live key of its demo. */
let running: RunningScrip | undefined;
let externalKey: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip start "));
  external = await createTestDatabase();
});

after(async () => {
  await running?.stop("SIGKILL");
  await external.drop();
  await rm(folder, { recursive: true, force: true });
});

wideTest(
  "npm start on an empty database fills the demo and prints an address, keys and a curl line that work",
  async () => {
    const env = { DATA_DIR: join(folder, "first"), CONSOLE_PORT: String(await freePort()) };
    const first = await startScrip(["--demo"], env, START_TIMEOUT_MS, SCRIP_SOURCE);
    assert.equal((await stat(join(env.DATA_DIR, "master.key"))).mode & 0o777, 0o600);
    assert.equal((await stat(env.DATA_DIR)).mode & 0o077, 0, "its owner alone can read what is there");
    const [live, test_] = [keyOf(first, "live"), keyOf(first, "test")];
    for (const key of [live, test_]) assert.equal(await statusOf(first, key), 200);
    const curl = /curl -s -H "X-API-Key: (\S+)" "(\S+)"/.exec(first.stdout());
    assert.ok(curl, "a curl line is printed");
    const reply = await fetch(curl[2] ?? "", { headers: { "x-api-key": curl[1] ?? "" } });
    assert.equal(((await reply.json()) as { data: unknown[] }).data.length, 2);
    assert.deepEqual(await openEntries(first), [303, 410, 303, 410], "the link into each face works once");
    assert.match(first.stdout(), /admin@scrip\.example, password \S+,\n {2}with this key .*: [A-Z2-7]{32}\n/);
    const countOrders = async () =>
      (await scripJson<{ data: unknown[] }>(["order", "list", "--limit", "1000"], env)).data.length;
    const orders = await countOrders();
    assert.ok(orders > 100, "the demo has a history");

    const pid = await postmasterPid(env.DATA_DIR);
    assert.equal((await first.stop("SIGINT")).code, 0);
    assert.equal(isAlive(pid), false, "PostgreSQL has stopped too");

    const second = await startScrip(["--demo"], env, START_TIMEOUT_MS);
    assert.equal(await statusOf(second, live), 200, "the data is kept");
    assert.equal(await countOrders(), orders, "the history is written once");
    assert.doesNotMatch(second.stdout(), /sc_live_|password/, "keys and the password are shown once");
    assert.deepEqual(await openEntries(second), [303, 410, 303, 410], "each start prints new links");
    const wayIn = /npx scrip (key create --reseller rsl_\w+ --env test)/.exec(second.stdout())?.[1];
    assert.ok(wayIn, "the second start says how to get another key");
    const { key } = await scripJson<{ key: string }>(wayIn.split(" "), env);
    assert.equal(await statusOf(second, key), 200);
    assert.equal((await second.stop("SIGTERM")).code, 0);
  },
);

wideTest("after kill -9 of the server the next start adopts the database, and nothing is lost", async () => {
  const env = { DATA_DIR: await seeded("killed") };
  const first = await startScrip(["--demo", "--no-history"], env);
  const live = keyOf(first, "live");
  const pid = await postmasterPid(env.DATA_DIR);
  await first.stop("SIGKILL");
  assert.ok(isAlive(pid), "PostgreSQL lives on");

  const second = await startScrip([], env);
  assert.equal(await postmasterPid(env.DATA_DIR), pid, "it was adopted");
  assert.equal(await statusOf(second, live), 200);
  await second.stop("SIGINT");
  assert.equal(isAlive(pid), false, "the process that adopted it stops it");
});

wideTest("with DATABASE_URL no database is started", async () => {
  const env = {
    DATA_DIR: join(folder, "external"),
    DATABASE_URL: external.connectionString,
    RATE_LIMIT_READS: "0",
  };
  running = await startScrip(["--demo", "--no-history"], env, START_TIMEOUT_MS);
  externalKey = keyOf(running, "live");
  assert.equal(await statusOf(running, externalKey), 200);
  await assert.rejects(stat(join(env.DATA_DIR, "db")), { code: "ENOENT" });
});

wideTest("a database set up with another master key is refused in one line", async () => {
  const env = {
    DATABASE_URL: external.connectionString,
    SCRIP_MASTER_KEY: Buffer.alloc(32, 9).toString("base64"),
  };
  await assertRefused(
    env,
    /^scrip: SCRIP_MASTER_KEY is not the master key that this database was set up with\n$/,
  );
});

wideTest("a port in use is refused in one line", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  t.after(() => other.close());
  await once(other, "listening");
  const { port } = other.address() as { port: number };
  const env = {
    DATA_DIR: join(folder, "external"),
    DATABASE_URL: external.connectionString,
    PORT: String(port),
  };
  await assertRefused(env, new RegExp(`^(?:\\{.*\\}\\n)*scrip: PORT ${port} is in use; .*\\n$`), runScrip);
});

wideTest("METRICS_PORT in use ends the start in one line, and leaves nothing behind", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  t.after(() => other.close());
  await once(other, "listening");
  const { port } = other.address() as { port: number };
  const env = {
    DATA_DIR: join(folder, "external"),
    DATABASE_URL: external.connectionString,
    METRICS_PORT: String(port),
  };
  const line = new RegExp(`^(?:\\{.*\\}\\n)*scrip: METRICS_PORT ${port} cannot be used: .*\\n$`);
  await assertRefused(env, line, runScrip);
});

test("a DATA_DIR that is world-writable or cannot be created is refused in one line", async () => {
  const open = join(folder, "open");
  await mkdir(open);
  await chmod(open, 0o777);
  const refused = /^scrip: DATA_DIR .*open is writable by everyone; .*chmod 700 .*\n$/;
  await assertRefused({ DATA_DIR: open }, refused);
  await assertRefused({ DATA_DIR: open, DATABASE_URL: external.connectionString }, refused);
  assert.deepEqual(await readdir(open), []);
  const doctor = await runScrip(["doctor"], { DATA_DIR: open, DATABASE_URL: external.connectionString });
  assert.match(doctor.stdout, /^FAIL {2}configuration: DATA_DIR .* is writable by everyone/);
  await writeFile(join(folder, "file"), "");
  await assertRefused({ DATA_DIR: "/proc/scrip" }, /^scrip: cannot use DATA_DIR .*\n$/);
  for (const impossible of [join(folder, "file"), join(folder, "file", "below"), "/dev/null/x"])
    await assert.rejects(openDataDir(impossible), /^Error: cannot use DATA_DIR .*$/);
});

wideTest("a lost master key is reported, and the database is unchanged", async () => {
  const env = { DATA_DIR: join(folder, "lost key"), DATABASE_URL: external.connectionString };
  await assertRefused(env, /^scrip: the master key .*master\.key is missing, .*SCRIP_MASTER_KEY.*\n$/);
  await assert.rejects(stat(join(env.DATA_DIR, "master.key")), { code: "ENOENT" });
  const command = await runScrip(["reseller", "list"], env);
  assert.match(command.stderr, /master\.key is missing/);
});

test("a command without a database fails and creates none", async () => {
  const env = { DATA_DIR: join(folder, "nothing") };
  for (const args of [["audit"], ["reseller", "list"], ["doctor"]]) {
    const { code, stdout, stderr } = await runScrip(args, env);
    assert.equal(code, 1);
    assert.match(
      stdout + stderr,
      /no Scrip database in .*nothing; create one with scrip start, or set DATA_DIR or/,
    );
  }
  await assert.rejects(stat(env.DATA_DIR), { code: "ENOENT" });
});

test("an unreachable database is reported in one line without a password", async () => {
  const { stderr } = await assertRefused(
    { DATABASE_URL: "postgres://scrip:very-secret@127.0.0.1:1/scrip" },
    /^scrip: cannot reach the database of DATABASE_URL: .*ECONNREFUSED.*\n$/,
  );
  assert.doesNotMatch(stderr, /very-secret/);
});

test("a wrong setting is refused in one line that names it", async () => {
  await assertRefused({ PORT: "http" }, /^scrip: PORT must be a whole number from 0 to 65535, not "http"\n$/);
});

wideTest("a stop lets requests in flight finish, and is not ready in the meantime", async () => {
  assert.ok(running, "the server on the external database still runs");
  const [server, key] = [running, externalKey];
  const statuses = Array.from({ length: 64 }, () => statusOf(server, key));
  const [finished, ...answers] = await Promise.all([stopOnceBusy(server, key), ...statuses]);
  assert.equal(finished.code, 0);
  assert.deepEqual(new Set(answers), new Set([200]));
});

/** A data directory in which the database has been created already. */
async function seeded(name: string): Promise<string> {
  const dataDir = join(folder, name);
  await seedCluster(dataDir);
  return dataDir;
}

/** The first answer shows that the others are under way. */
async function stopOnceBusy(running: RunningScrip, key: string) {
  await statusOf(running, key);
  return running.stop("SIGTERM");
}

/** A start that fails early ends as any other command does. With `run` one that fails late has a process of its own. */
async function assertRefused(env: Record<string, string>, line: RegExp, run = runScripShared) {
  const finished = await run(["start"], { DATA_DIR: join(folder, "refused"), ...env });
  assert.equal(finished.code, 1);
  assert.match(finished.stderr, line);
  assert.equal(finished.stdout, "");
  return finished;
}

function keyOf(running: RunningScrip, environment: "live" | "test"): string {
  const key = new RegExp(`sc_${environment}_[0-9A-Za-z]{38}`).exec(running.stdout())?.[0];
  assert.ok(key, `a ${environment} key is printed`);
  return key;
}

async function statusOf(running: RunningScrip, key: string): Promise<number> {
  const reply = await fetch(`${running.url}/v1/catalog`, { headers: { "x-api-key": key } });
  await reply.arrayBuffer();
  return reply.status;
}

const postmasterPid = async (dataDir: string): Promise<number> =>
  Number((await readFile(join(dataDir, "db", "data", "postmaster.pid"), "utf8")).split("\n", 1)[0]);

/** What the links into the dashboard and the console answer, the first time and the second. */
async function openEntries(running: RunningScrip): Promise<number[]> {
  const links = running.stdout().match(/http:\S+\/enter\?token=\S+/g) ?? [];
  const statuses: number[] = [];
  for (const link of links.flatMap((one) => [one, one]))
    statuses.push((await fetch(link, { redirect: "manual" })).status);
  return statuses;
}
