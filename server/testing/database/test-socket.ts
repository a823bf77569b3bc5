import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { raw } from "sql-template-tag";
import type { Db } from "../../src/db/database.ts";
import { layoutOf } from "../../src/db/embedded/cluster.ts";

/** The socket is in PostgreSQL's data directory, which no other account can enter. So it needs no password. */
export const SOCKET_SETTINGS = { unix_socket_directories: "." };

const RULES = `local all all trust
host all all 127.0.0.1/32 scram-sha-256
`;
/** The shortest limit of the systems that we know, without the zero at the end. */
const SOCKET_PATH_MAX_BYTES = 103;

/**
 * Accepts connections through the socket without a password. To check one, each new process of PostgreSQL initializes OpenSSL, and
 * the driver computes for milliseconds.
 */
export async function trustSocket(dataDir: string, admin: Db): Promise<void> {
  await writeFile(join(layoutOf(dataDir).data, "pg_hba.conf"), RULES);
  await admin.rows(raw("select pg_reload_conf()"));
}

/** The same database through the socket; through the network if there is none, or if its path is too long. */
export function throughSocket(dataDir: string, connectionString: string): string {
  const url = new URL(connectionString);
  const folder = layoutOf(dataDir).data;
  const socket = join(folder, `.s.PGSQL.${url.port}`);
  if (Buffer.byteLength(socket) > SOCKET_PATH_MAX_BYTES || !existsSync(socket)) return connectionString;
  url.searchParams.set("host", folder);
  return url.href;
}
