import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { ask, closeQuietly } from "./ask.ts";
import type { PatroniCluster } from "./cluster.ts";
import type { ProbeAck } from "./leaders.ts";
import type { Member } from "./member.ts";
import type { Via } from "./options.ts";

/** Plain clients, one at each member and one through HAProxy, that write rows whenever they can: what Patroni itself costs. */
export type Prober = {
  acks: readonly ProbeAck[];
  /** Waits for a row that this member, or any, acknowledged after the time. */
  untilAck(
    afterMs: number,
    withinMs: number,
    isWanted?: (member: string) => boolean,
  ): Promise<ProbeAck | undefined>;
  /** Rows that were acknowledged and are no longer there. */
  findLost(leader: Member): Promise<ProbeAck[]>;
  stop(): Promise<void>;
};

const DATABASE = "probe";
const EVERY_MS = 100;
const LOOK_EVERY_MS = 20;
const ANSWER_TIMEOUT_MS = 2_000;
const READ_TIMEOUT_MS = 20_000;
const CREATE_TIMEOUT_MS = 20_000;

export async function startProber(cluster: PatroniCluster, leader: Member): Promise<Prober> {
  await ask(cluster.superuserUrl(leader, "postgres"), `create database ${DATABASE}`, CREATE_TIMEOUT_MS);
  await ask(
    cluster.superuserUrl(leader, DATABASE),
    "create table rows (id text primary key)",
    CREATE_TIMEOUT_MS,
  );
  const acks: ProbeAck[] = [];
  let isStopping = false;

  const probe = async ({ name, via, port }: Target): Promise<void> => {
    let client: pg.Client | undefined;
    for (let count = 0; !isStopping; count += 1) {
      const id = `${name}-${count}`;
      try {
        client ??= await connect(cluster.superuserUrl({ postgresPort: port }, DATABASE));
        const written = await writeRow(client, id);
        if (written)
          acks.push({
            id,
            via,
            atMs: performance.now(),
            timeline: written.timeline,
            member: nameOf(written.port),
          });
      } catch {
        if (client) closeQuietly(client);
        client = undefined;
      }
      await wait(EVERY_MS);
    }
    if (client) closeQuietly(client);
  };
  const nameOf = (port: number): string =>
    cluster.members.find(({ postgresPort }) => postgresPort === port)?.name ?? "unknown";
  const done = Promise.all(targetsOf(cluster).map(probe));

  return {
    acks,
    async untilAck(afterMs, withinMs, isWanted = () => true) {
      for (const deadlineMs = performance.now() + withinMs; performance.now() < deadlineMs; ) {
        const found = acks.findLast(({ atMs, member }) => atMs > afterMs && isWanted(member));
        if (found) return found;
        await wait(LOOK_EVERY_MS);
      }
      return undefined;
    },
    async findLost(current) {
      const before = [...acks];
      const rows = await ask<{ id: string }>(
        cluster.superuserUrl(current, DATABASE),
        "select id from rows",
        READ_TIMEOUT_MS,
      );
      const stored = new Set(rows.map(({ id }) => id));
      return before.filter(({ id }) => !stored.has(id));
    },
    async stop() {
      isStopping = true;
      await done;
    },
  };
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    application_name: "ha probe",
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    closeQuietly(client);
    throw error;
  }
}

type Target = { name: string; via: Via; port: number };

const targetsOf = ({ members, haproxyPort }: PatroniCluster): Target[] => [
  ...members.map(({ name, postgresPort }) => ({ name, via: "hosts" as const, port: postgresPort })),
  { name: "haproxy", via: "haproxy", port: haproxyPort },
];

/** Where and on which timeline the row was written, or nothing on a standby. */
async function writeRow(
  client: pg.Client,
  id: string,
): Promise<{ timeline: number; port: number } | undefined> {
  const { rows } = await client.query<{ standby: boolean }>("select pg_is_in_recovery() as standby");
  if (rows[0]?.standby !== false) return undefined;
  const written = await client.query<{ segment: string; port: number }>({
    text: `insert into rows (id) values ($1)
           returning pg_walfile_name(pg_current_wal_insert_lsn()) as segment, inet_server_port() as port`,
    values: [id],
  });
  const { segment = "", port = 0 } = written.rows[0] ?? {};
  return { timeline: Number.parseInt(segment.slice(0, TIMELINE_DIGITS), 16), port };
}

/** The name of a segment of the log begins with its timeline, in hexadecimal digits. */
const TIMELINE_DIGITS = 8;
