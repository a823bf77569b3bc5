import pg from "pg";

export type Listener = { close(): Promise<void> };

const RECONNECT_PAUSE_MS = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Calls back for each NOTIFY on a channel, over a connection of its own that is opened again when it breaks. What is
 * notified while it is broken is lost: whoever listens also looks by itself from time to time.
 */
export function listen(
  connection: { connectionString: string; applicationName: string },
  channel: string,
  onNotify: () => void,
): Listener {
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

  const connect = async () => {
    const fresh = new pg.Client({
      connectionString: connection.connectionString,
      application_name: `${connection.applicationName} listener`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    client = fresh;
    fresh.on("notification", onNotify);
    fresh.on("error", () => {});
    fresh.on("end", connectAgain);
    try {
      await fresh.connect();
      await fresh.query(`listen ${pg.escapeIdentifier(channel)}`);
      // Whatever was notified before this moment was not heard.
      onNotify();
    } catch {
      await fresh.end().catch(() => {});
      connectAgain();
    }
  };

  const connecting = connect();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await connecting;
      await client?.end().catch(() => {});
    },
  };
}
