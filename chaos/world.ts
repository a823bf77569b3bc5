import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { connectDatabase, type Db } from "../server/src/db/database.ts";
import { openEmbedded } from "../server/src/db/embedded/open-embedded.ts";
import { stopServer } from "../server/src/db/embedded/stop-server.ts";
import { migrate } from "../server/src/db/migrate.ts";
import type { FulfilmentLimits } from "../server/src/fulfilment/limits.ts";
import { loadServerSecrets, type ServerSecrets } from "../server/src/keys/server-secrets.ts";
import { secret } from "../server/src/lib/secret.ts";
import { type CodeVault, createCodeVault } from "../server/src/vault/code-vault.ts";
import { fixedKeyring, type Keyring } from "../server/src/vault/keyring.ts";
import { TEST_MASTER_KEY } from "../server/testing/app/test-settings.ts";
import { dataPathOf } from "../server/testing/database/embedded-testing.ts";
import { type FaultProxy, startFaultProxy } from "../server/testing/database/fault-proxy.ts";
import { seedCluster } from "../server/testing/database/seed-cluster.ts";
import { type FakeUpstream, startFakeUpstream } from "../server/testing/upstream/fake-upstream.ts";
import { closeCalls } from "./call.ts";
import { type Disk, mountDisk } from "./disk.ts";
import { type Node, startNode } from "./node.ts";
import { createReceivers, type Receivers } from "./receivers.ts";
import type { Recorder } from "./recorder.ts";

/** Everything that runs, and its surroundings. */
export type World = {
  dataDir: string;
  /** The database's small disk, which can be filled and can lose its power; undefined when none could be mounted. */
  disk: Disk | undefined;
  /** Without the proxy, to read the true state. */
  db: Db;
  secrets: ServerSecrets;
  keyring: Keyring;
  codeVault: CodeVault;
  proxy: FaultProxy;
  upstreams: FakeUpstream[];
  receivers: Receivers;
  apis: Node[];
  workers: Node[];
  close(): Promise<void>;
};

/** Short pauses, in proportion to the real ones. */
export const LIMITS: Partial<FulfilmentLimits> = {
  leaseMs: 4_000,
  pollMs: 250,
  callTimeoutMs: 1_000,
  resendDelayMs: 5_000,
  lookFirstMs: 100,
  lookMaxMs: 1_500,
  breakerFailures: 30,
  breakerFirstMs: 100,
  breakerMaxMs: 500,
};

const APIS = 2;
const WORKERS = 2;
/** So that WAL alone does not fill the small disk. */
const SETTINGS = { max_wal_size: "256MB", max_connections: "100" };
/** Without fsync a power cut loses what was acknowledged. Such a run must report it. */
const WITHOUT_FSYNC = { ...SETTINGS, fsync: "off" };
const run = promisify(execFile);

/** A long run without faults needs more room than a small disk has. */
export type WorldOptions = { seed: number; hasFsync: boolean; hasSmallDisk: boolean };

export async function openWorld(options: WorldOptions, recorder: Recorder): Promise<World> {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const next of closers.splice(0).reverse()) await next();
  };
  try {
    return { ...(await build(options, recorder, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Everything that is opened registers how it is closed, so that nothing is left when the next step fails. */
async function build(
  { seed, hasFsync, hasSmallDisk }: WorldOptions,
  recorder: Recorder,
  closers: (() => unknown)[],
): Promise<Omit<World, "close">> {
  const home = await mkdtemp(join(tmpdir(), "scrip-chaos-"));
  closers.push(() => rm(home, { recursive: true, force: true }));
  const disk = hasSmallDisk ? await mountDisk(home) : undefined;
  if (disk) closers.push(disk.unmount);
  const dataDir = join(home, ".scrip");
  await seedCluster(dataDir);
  // As after the creation of a cluster: the storm's power cuts are about what PostgreSQL writes.
  await run("sync", ["--file-system", home]);
  const settings = hasFsync ? SETTINGS : WITHOUT_FSYNC;
  const server = await openEmbedded({ dataDir, log: () => {}, settings });
  closers.push(() => stopServer(dataPathOf(dataDir)), server.close);
  const db = connectDatabase({
    connectionString: server.connectionString,
    applicationName: "scrip chaos truth",
    poolSize: 4,
    onConnectionLost: () => {},
    statementTimeoutMs: 0,
  });
  closers.push(db.close);
  await migrate(db);
  const masterKeys = [secret(TEST_MASTER_KEY)] as const;
  const keyring = fixedKeyring(masterKeys);
  const secrets = await loadServerSecrets(db, masterKeys);
  const proxy = await startFaultProxy(server.connectionString);
  closers.push(proxy.close);
  const upstreams = await Promise.all(
    [0, 1].map((index) =>
      startFakeUpstream({ seed: seed + index, noise: 0.05, lateMs: 2_000, landMs: 1_500 }),
    ),
  );
  closers.push(...upstreams.map((one) => one.close));
  const receivers = await createReceivers(seed, recorder);
  closers.push(receivers.close, closeCalls);
  const start = async (role: Node["role"]) => {
    const input = { role, connectionString: proxy.connectionString, limits: LIMITS };
    const node = await startNode(input, (what) => recorder.contradictions.push(what));
    closers.push(node.stop);
    return node;
  };
  const apis = await Promise.all(Array.from({ length: APIS }, () => start("api")));
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => start("worker")));
  return {
    dataDir,
    disk,
    db,
    secrets,
    keyring,
    codeVault: createCodeVault(keyring),
    proxy,
    upstreams,
    receivers,
    apis,
    workers,
  };
}
