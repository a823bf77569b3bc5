import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseFreePort, LOOPBACK } from "../../src/db/embedded/choose-port.ts";
import { findServerAccount } from "../../src/db/embedded/server-account.ts";
import { query, until } from "./embedded-testing.ts";

export type PgBouncer = { connectionString: string; stop(): Promise<void> };

const ENTERABLE_DIRECTORY = 0o755;

/** The path of PgBouncer on this machine, if it is installed. */
export async function findPgBouncer(): Promise<string | undefined> {
  const folders = [...(process.env.PATH ?? "").split(":"), "/usr/sbin"].filter((folder) => folder !== "");
  for (const folder of folders) {
    const path = join(folder, "pgbouncer");
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  return undefined;
}

/** A pooler in front of the database, with default settings except for the mode. */
export async function startPgBouncer(
  program: string,
  databaseUrl: string,
  mode: "session" | "transaction" | "statement",
): Promise<PgBouncer> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), "scrip-pgbouncer-"));
  await chmod(folder, ENTERABLE_DIRECTORY);
  const ownPort = await chooseFreePort();
  const file = join(folder, "pgbouncer.ini");
  await writeFile(
    file,
    [
      "[databases]",
      `${pathname.slice(1)} = host=${hostname} port=${port} user=${username} password=${password}`,
      "[pgbouncer]",
      `listen_addr = ${LOOPBACK}`,
      `listen_port = ${ownPort}`,
      "unix_socket_dir =",
      "auth_type = any",
      `pool_mode = ${mode}`,
    ].join("\n"),
  );
  const { account } = await findServerAccount(folder);
  const child = spawn(program, [file], { stdio: "ignore", cwd: "/", ...account });
  await once(child, "spawn");
  const url = new URL(databaseUrl);
  url.host = `${LOOPBACK}:${ownPort}`;
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until(() => query(url.href, "select"));
  } catch (error) {
    await stop();
    throw error;
  }
  return { connectionString: url.href, stop };
}
