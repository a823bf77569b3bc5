import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { destroyClient } from "../destroy-client.ts";
import { refuseStandby } from "../hosts.ts";
import { prepareSession } from "../prepare-session.ts";
import { startPatience } from "./patience.ts";
import { type Moment, momentNow } from "./primary-lease.ts";
import { readTerm, type Term } from "./primary-term.ts";
import { PROCESS_HOME, type ServingProcess } from "./serving-process.ts";

/** A connection on which a primary has answered a write, used for further heartbeats. */
export type BeatLine = {
  /** A server keeps its term for as long as its connections live. */
  term: Term | undefined;
  /** When the write that opened it was sent. */
  sentAt: Moment;
  /** Writes again. Has no timeout. Fails when the connection breaks or the write is refused. */
  beat(): Promise<void>;
  /** Closes the connection immediately. */
  drop(): void;
  /** Removes the process from the list and closes the connection. */
  close(): Promise<void>;
};

export type LineSettings = {
  connectionString: string | undefined;
  applicationName: string;
  process: ServingProcess;
  /** Throws for a primary that must not be used. */
  judge: (term: Term | undefined) => void;
  signal: AbortSignal;
};

/** For connecting, learning what the server is, and having a write answered. */
const OPEN_LIMIT_MS = 3_000;
const GOODBYE_LIMIT_MS = 1_000;
/** Detects a dead machine even without writes. */
const KEEP_ALIVE_AFTER_MS = 10_000;
/** The function in PostgreSQL that warns about a commit that did not wait for its standby. */
const STANDBY_WAIT = "SyncRepWaitForLSN";

/** Waits for the synchronous standby like any other commit, so only a primary that still has one can answer it. */
const BEAT = `
  insert into processes (id, role, host, pid, version, home) values ($1, $2, $3, $4, $5, ${PROCESS_HOME})
  on conflict (id) do update set beat_at = clock_timestamp()`;

/**
 * Opens a separate connection to a host, outside every pool, and has it confirm by a write that it is the primary.
 */
export async function openBeatLine(settings: LineSettings): Promise<BeatLine> {
  const { connectionString, applicationName, signal } = settings;
  const client = new pg.Client({
    connectionString,
    application_name: `${applicationName} heartbeat`,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  });
  client.on("error", () => {});
  let isSilent = false;
  const drop = (): void => destroyClient(client);
  const patience = startPatience(OPEN_LIMIT_MS, () => {
    isSilent = true;
    drop();
  });
  signal.addEventListener("abort", drop);
  try {
    return await confirmOn(client, settings);
  } catch (error) {
    drop();
    throw isSilent ? new Error(`did not respond within ${OPEN_LIMIT_MS} ms`, { cause: error }) : error;
  } finally {
    patience.end();
    signal.removeEventListener("abort", drop);
  }
}

async function confirmOn(client: pg.Client, { process, judge }: LineSettings): Promise<BeatLine> {
  let isUnconfirmed = false;
  client.on("notice", ({ routine }) => {
    isUnconfirmed ||= routine === STANDBY_WAIT;
  });
  const { id, role, host, pid, version } = process;
  const beat = async (): Promise<void> => {
    isUnconfirmed = false;
    await client.query(BEAT, [id, role, host, pid, version]);
    if (isUnconfirmed) throw new Error("a heartbeat did not wait for its standby");
  };
  await client.connect();
  // The limit is for the row that our previous connection may hold while it waits for a standby that has left.
  refuseStandby(await prepareSession(client, { statementTimeoutMs: OPEN_LIMIT_MS }));
  const term = await readTerm(client);
  judge(term);
  const sentAt = momentNow();
  await beat();
  return {
    term,
    sentAt,
    beat,
    drop: () => destroyClient(client),
    close: () => close(client, id),
  };
}

/** A silent server must not delay anything. */
async function close(client: pg.Client, id: string): Promise<void> {
  const answered = new AbortController();
  const leaving = client
    .query("delete from processes where id = $1", [id])
    .then(() => client.end())
    .catch(() => {});
  await Promise.race([leaving, wait(GOODBYE_LIMIT_MS, undefined, answered).catch(() => {})]);
  answered.abort();
  destroyClient(client);
}
