import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sql from "sql-template-tag";
import { connectDatabase, type Db } from "../server/src/db/database.ts";
import { migrate } from "../server/src/db/migrate.ts";
import type { FulfilmentLimits } from "../server/src/fulfilment/limits.ts";
import { loadServerSecrets, type ServerSecrets } from "../server/src/keys/server-secrets.ts";
import { secret } from "../server/src/lib/secret.ts";
import { type CodeVault, createCodeVault } from "../server/src/vault/code-vault.ts";
import { fixedKeyring, type Keyring, openKeyring } from "../server/src/vault/keyring.ts";
import { TEST_MASTER_KEY } from "../server/testing/app/test-settings.ts";
import { freePort } from "../server/testing/processes/free-port.ts";
import { closeCalls } from "./call.ts";
import { type Closers, type Database, openOneHost } from "./database.ts";
import { type Disk, mountDisk } from "./disk.ts";
import { type Node, startNode } from "./node.ts";
import { createReceivers, type Receivers } from "./receivers.ts";
import type { Recorder } from "./recorder.ts";
import { openTwoHosts } from "./two-hosts.ts";
import { startUpstreams, type Upstream } from "./upstreams.ts";

/** Everything that runs, and its surroundings. */
export type World = {
  /** The data directory of the database, if it is on one host. */
  dataDir: string;
  /** The database's small disk, which can be filled and can lose its power; undefined when none could be mounted. */
  disk: Disk | undefined;
  database: Database;
  /** Without the proxies, to read the true state. */
  db: Db;
  /** Where the file with the master keys is. Undefined when the processes have a fixed key. */
  keysDir: string | undefined;
  secrets: ServerSecrets;
  keyring: Keyring;
  codeVault: CodeVault;
  upstreams: Upstream[];
  receivers: Receivers;
  apis: Node[];
  workers: Node[];
  /** Brings everything to the disk, as after days of work: faults are about what happens from then on. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** Short pauses, in proportion to the real ones. */
export const LIMITS: Partial<FulfilmentLimits> = {
  leaseMs: 4_000,
  pollMs: 250,
  callTimeoutMs: 1_000,
  arrivalMs: 5_000,
  lookFirstMs: 100,
  lookMaxMs: 1_500,
  breakerFailures: 30,
  breakerFirstMs: 100,
  breakerMaxMs: 500,
};

const PROCESSES = 2;
const run = promisify(execFile);

export type WorldOptions = {
  seed: number;
  hasFsync: boolean;
  /** A long run without faults needs more room than a small disk has. */
  hasSmallDisk: boolean;
  /** Processes with everything that `scrip start` runs: dashboard, console and jobs too. Without it, only orders and events. */
  isWhole?: boolean;
  /** How many of each role. Two unless given. */
  processes?: number;
  /** A second one follows the first, and takes over. */
  hasTwoHosts?: boolean;
};

export async function openWorld(options: WorldOptions, recorder: Recorder): Promise<World> {
  const closers: Closers = [];
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
  options: WorldOptions,
  recorder: Recorder,
  closers: Closers,
): Promise<Omit<World, "close">> {
  const home = await mkdtemp(join(tmpdir(), "scrip-chaos-"));
  closers.push(() => rm(home, { recursive: true, force: true }));
  const { disk, database } = await openDatabase(home, options, closers);
  const db = connectDatabase({
    connectionString: database.connectionString,
    applicationName: "scrip chaos truth",
    poolSize: 6,
    onConnectionLost: () => {},
    statementTimeoutMs: 0,
  });
  closers.push(db.close);
  await migrate(db);
  // Not on the database's disk, which can be full or gone.
  const keysDir = options.isWhole ? await mkdtemp(join(tmpdir(), "scrip-chaos-keys-")) : undefined;
  if (keysDir) closers.push(() => rm(keysDir, { recursive: true, force: true }));
  const keyring = keysDir ? await openKeyring([], keysDir) : fixedKeyring([secret(TEST_MASTER_KEY)]);
  const secrets = await loadServerSecrets(db, keyring.masterKeys());
  const upstreams = await startUpstreams(options.seed, ({ close }) => closers.push(close));
  const receivers = await createReceivers(options.seed, recorder);
  closers.push(receivers.close, closeCalls);
  const start = async (role: Node["role"], index: number) => {
    // One of each role is behind the proxies. The others meet only what the database itself does.
    const connectionString = index === 0 ? database.proxied : database.connectionString;
    const home = keysDir && { dataDir: keysDir, consolePort: role === "api" ? await freePort() : 0 };
    const input = { role, connectionString, limits: LIMITS, ...(home ? { home } : {}) };
    const node = await startNode(input, {
      onDied: (what) => recorder.contradictions.push(what),
      onRefused: (reason) => recorder.refusedStarts.push(reason),
      isReachable: () =>
        db.rows(sql`select`).then(
          () => true,
          () => false,
        ),
    });
    closers.push(node.stop);
    return node;
  };
  const indexes = Array.from({ length: options.processes ?? PROCESSES }, (_, index) => index);
  const apis = await Promise.all(indexes.map((index) => start("api", index)));
  const workers = await Promise.all(indexes.map((index) => start("worker", index)));
  return {
    dataDir: join(home, ".scrip"),
    ...{ disk, database, db, keysDir, secrets, keyring, codeVault: createCodeVault(keyring) },
    ...{ upstreams, receivers, apis, workers },
    async flush() {
      await db.rows(sql`checkpoint`);
      await run("sync", ["--file-system", home]);
    },
  };
}

async function openDatabase(
  home: string,
  { hasFsync, hasSmallDisk, hasTwoHosts }: WorldOptions,
  closers: Closers,
): Promise<Pick<World, "disk" | "database">> {
  if (hasTwoHosts) return { disk: undefined, database: await openTwoHosts(home, closers) };
  const disk = hasSmallDisk ? await mountDisk(home) : undefined;
  if (disk) closers.push(disk.unmount);
  return { disk, database: await openOneHost(home, hasFsync, closers) };
}
