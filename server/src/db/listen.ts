import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { destroyClient } from "./destroy-client.ts";
import type { Hosts } from "./hosts.ts";
import { PREPARE_TIMEOUT_MS, prepareSession } from "./prepare-session.ts";

export type Listener = { close(): Promise<void> };

const RECONNECT_PAUSE_MS = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** A dead machine sends nothing, and a listener sends no query that would time out. */
const KEEP_ALIVE_AFTER_MS = 10_000;
const GOODBYE_TIMEOUT_MS = 1_000;

/**
 * Calls back for each NOTIFY on a channel, over its own connection that is reopened when it breaks. Notifications
 * during a break are lost, so listeners also poll from time to time.
 */
export function listen(
  connection: { hosts: Hosts; applicationName: string },
  channel: string,
  onNotify: () => void,
): Listener {
  const { hosts, applicationName } = connection;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const connectAgain = () => {
    client = undefined;
    if (closed || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      void connect();
    }, RECONNECT_PAUSE_MS);
    timer.unref();
  };

  const connectTo = async (connectionString: string | undefined): Promise<pg.Client> => {
    if (closed) throw new Error("the listener was closed");
    const fresh = new pg.Client({
      connectionString,
      application_name: `${applicationName} listener`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    });
    client = fresh;
    fresh.on("error", () => {});
    try {
      await fresh.connect();
      await hosts.admit(fresh, await prepareSession(fresh, { statementTimeoutMs: 0 }));
      return fresh;
    } catch (error) {
      await fresh.end().catch(() => {});
      throw error;
    }
  };

  const connect = async () => {
    let fresh: pg.Client | undefined;
    try {
      fresh = await hosts.tryEach((index) => connectTo(hosts.urls[index]));
      fresh.on("notification", onNotify);
      fresh.on("end", connectAgain);
      const text = `listen ${pg.escapeIdentifier(channel)}`;
      const query = { text, query_timeout: PREPARE_TIMEOUT_MS };
      await fresh.query(query);
      // Notifications before this moment were missed.
      onNotify();
    } catch {
      await fresh?.end().catch(() => {});
      connectAgain();
    }
  };

  // Notifications at the new primary do not reach the old one, which may still be running.
  const leaving = hosts.onLeave(() => {
    if (client) destroyClient(client);
  });
  const connecting = connect();
  return {
    async close() {
      closed = true;
      leaving.off();
      clearTimeout(timer);
      await connecting;
      if (client) await sayGoodbye(client);
    },
  };
}

/** A silent server does not respond. It must not delay the caller or the end of the process. */
async function sayGoodbye(client: pg.Client): Promise<void> {
  const answered = new AbortController();
  const ended = client.end().catch(() => {});
  // Exists in the driver but not in its types.
  (client as pg.Client & { unref(): void }).unref();
  const patience = wait(GOODBYE_TIMEOUT_MS, undefined, answered).catch(() => {});
  await Promise.race([ended, patience]);
  answered.abort();
}
