import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chooseFreePort } from "../server/src/db/embedded/choose-port.ts";
import { ask } from "./ask.ts";
import { adaptHaproxyConfig, adaptPatroniConfig } from "./configs.ts";
import { describeMember, type Member } from "./member.ts";
import type { EtcdApi } from "./options.ts";
import type { Programs } from "./programs.ts";
import type { Daemon, Workplace } from "./workplace.ts";

/** Three members, etcd and HAProxy, all on loopback. */
export type PatroniCluster = {
  members: readonly Member[];
  password: string;
  haproxyPort: number;
  /** The member at this name, as Patroni calls it. */
  member(name: string): Member;
  superuserUrl(member: Pick<Member, "postgresPort">, database: string): string;
  etcd: { kill(): Promise<void>; start(): Promise<void> };
  /** Waits until one leader has two streaming standbys, one of them synchronous unless replication is asynchronous. */
  untilHealthy(withinMs: number): Promise<Health>;
};

export type Health = { leader: Member; synchronous: Member; standbys: readonly Member[] };

export type ClusterInput = {
  workplace: Workplace;
  programs: Programs;
  etcdApi: EtcdApi;
  isAsync: boolean;
};

const NAMES = ["db1", "db2", "db3"] as const;
const LOOK_EVERY_MS = 200;
/** A leader that was just hit by a fault can look healthy for a moment. */
const STABLE_MS = 1_500;
const QUESTION_TIMEOUT_MS = 2_000;
const CHECK_TIMEOUT_MS = 10_000;
const MODE_PRIVATE = 0o700;
const TEMPLATES = new URL("../deploy/patroni/", import.meta.url);

export async function startCluster(input: ClusterInput): Promise<PatroniCluster> {
  const { workplace, programs, etcdApi, isAsync } = input;
  const [etcdPort, peerPort, haproxyPort] = [
    await chooseFreePort(),
    await chooseFreePort(),
    await chooseFreePort(),
  ];
  const password = randomBytes(16).toString("hex");
  const configPath = join(workplace.folder, "patroni.yml");
  await writeFile(configPath, adaptPatroniConfig(await template("patroni.yml"), { etcdApi, isAsync }));
  await makeOwnFolder(workplace, "data");
  const memberInput = { workplace, programs, configPath, etcdPort, etcdApi, password };
  const members: Member[] = [];
  for (const name of NAMES) {
    const ports = { name, postgresPort: await chooseFreePort(), restPort: await chooseFreePort() };
    members.push(describeMember(ports, memberInput));
  }
  const etcd = await startEtcd(input, etcdPort, peerPort);
  await startHaproxy(input, haproxyPort, members);
  for (const member of members) await member.startPatroni();

  const cluster: PatroniCluster = {
    members,
    password,
    haproxyPort,
    etcd,
    member(name) {
      const found = members.find((one) => one.name === name);
      if (!found) throw new Error(`member ${name} does not exist`);
      return found;
    },
    superuserUrl: ({ postgresPort }, database) =>
      `postgres://postgres:${password}@127.0.0.1:${postgresPort}/${database}`,
    async untilHealthy(withinMs) {
      let sinceMs = performance.now();
      let last: Health | undefined;
      for (const deadlineMs = sinceMs + withinMs; performance.now() < deadlineMs; ) {
        const health = await findHealth(cluster, isAsync);
        if (!health || health.leader !== last?.leader) sinceMs = performance.now();
        else if (performance.now() > sinceMs + STABLE_MS) return health;
        last = health;
        await wait(LOOK_EVERY_MS);
      }
      throw new Error(`the cluster was not healthy after ${Math.round(withinMs / 1_000)} s`);
    },
  };
  return cluster;
}

const template = (name: string): Promise<string> => readFile(fileURLToPath(new URL(name, TEMPLATES)), "utf8");

async function makeOwnFolder({ folder, account }: Workplace, name: string): Promise<void> {
  const path = join(folder, name);
  await mkdir(path, { mode: MODE_PRIVATE });
  if (account) await chown(path, account.uid, account.gid);
}

async function startEtcd(
  { workplace, programs, etcdApi }: ClusterInput,
  port: number,
  peerPort: number,
): Promise<PatroniCluster["etcd"]> {
  await makeOwnFolder(workplace, "etcd-data");
  const client = `http://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  const args = [
    ...["--name", "etcd1", "--data-dir", join(workplace.folder, "etcd-data")],
    ...["--listen-client-urls", client, "--advertise-client-urls", client],
    ...["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
    ...["--initial-cluster", `etcd1=${peer}`],
    ...(etcdApi === "v2" ? ["--enable-v2"] : []),
  ];
  let running: Daemon | undefined;
  const start = async () => {
    // etcd 3.4 requires this on arm64; elsewhere it has no effect.
    const env = process.arch === "arm64" ? { ETCD_UNSUPPORTED_ARCH: "arm64" } : {};
    running = await workplace.start("etcd", programs.etcd, args, env as Record<string, string>);
  };
  await start();
  return {
    start,
    async kill() {
      running?.signal("SIGKILL");
      await running?.ended;
    },
  };
}

async function startHaproxy(
  { workplace, programs }: ClusterInput,
  port: number,
  members: readonly Member[],
): Promise<void> {
  const path = join(workplace.folder, "haproxy.cfg");
  await writeFile(path, adaptHaproxyConfig(await template("haproxy.cfg"), port, members));
  await checkHaproxy(programs, path);
  // The original file, as operators copy it, must be valid too.
  await checkHaproxy(programs, fileURLToPath(new URL("haproxy.cfg", TEMPLATES)));
  await workplace.start("haproxy", programs.haproxy, ["-db", "-f", path]);
}

/** HAProxy reports what is wrong with a file. */
const checkHaproxy = (programs: Programs, path: string) =>
  promisify(execFile)(programs.haproxy, ["-c", "-f", path], { timeout: CHECK_TIMEOUT_MS });

type ReplicationRow = { name: string; syncState: string };

/** Asks PostgreSQL, not Patroni: a member that does not respond within the limit is not healthy. */
async function findHealth(cluster: PatroniCluster, isAsync: boolean): Promise<Health | undefined> {
  const answers = await Promise.all(
    cluster.members.map(async (member) => {
      const rows = await ask<ReplicationRow>(
        cluster.superuserUrl(member, "postgres"),
        `select application_name as name, sync_state as "syncState" from pg_stat_replication
         where state = 'streaming' and not pg_is_in_recovery() and application_name like 'db%'`,
        QUESTION_TIMEOUT_MS,
      ).catch(() => []);
      return { member, rows };
    }),
  );
  const leaders = answers.filter(({ rows }) => rows.length > 0);
  const [only] = leaders;
  if (leaders.length !== 1 || !only || only.rows.length < cluster.members.length - 1) return undefined;
  const synchronous = only.rows.find(({ syncState }) => syncState === "sync" || syncState === "quorum");
  const chosen = synchronous ?? (isAsync ? only.rows[0] : undefined);
  if (!chosen) return undefined;
  return {
    leader: only.member,
    synchronous: cluster.member(chosen.name),
    standbys: only.rows.map(({ name }) => cluster.member(name)),
  };
}
