import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const SCALE = 10;

/** PostgreSQL's own benchmark (TPC-B, prepared, 64 clients) on the same server; undefined where there is no pgbench. */
export async function pgbenchRate(connectionString: string, seconds: number): Promise<number | undefined> {
  if (spawnSync("pgbench", ["--version"]).error) return undefined;
  const { hostname, port, username, password } = new URL(connectionString);
  const env = {
    ...process.env,
    PGHOST: hostname,
    PGPORT: port,
    PGUSER: username,
    PGPASSWORD: decodeURIComponent(password),
  };
  await run(
    "psql",
    ["-q", "-d", "postgres", "-c", "drop database if exists pgbench", "-c", "create database pgbench"],
    { env },
  );
  await run("pgbench", ["-i", "-q", "-s", String(SCALE), "pgbench"], { env });
  const { stdout } = await run(
    "pgbench",
    ["-c", "64", "-j", "2", "-M", "prepared", "-T", String(seconds), "pgbench"],
    { env },
  );
  await run("psql", ["-q", "-d", "postgres", "-c", "drop database pgbench"], { env });
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
}
