import pg from "pg";

/** One statement on a separate connection to exactly this server, without Scrip in between. */
export async function ask<Row extends pg.QueryResultRow>(
  connectionString: string,
  text: string,
  timeoutMs: number,
): Promise<Row[]> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    application_name: "ha question",
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.query<Row>(text)).rows;
  } finally {
    closeQuietly(client);
  }
}

/** A frozen server never closes the connection, so the socket is closed without waiting. */
export function closeQuietly(client: pg.Client): void {
  client.end().catch(() => {});
  const { stream } =
    (client as unknown as { connection?: { stream?: { destroy(): void } } }).connection ?? {};
  setTimeout(() => stream?.destroy(), CLOSE_GRACE_MS).unref();
}

const CLOSE_GRACE_MS = 200;
