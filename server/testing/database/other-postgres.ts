import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { chooseFreePort, LOOPBACK } from "../../src/db/embedded/choose-port.ts";
import type { Account } from "../../src/db/embedded/run-program.ts";
import { runProgram, serverEnvironment } from "../../src/db/embedded/run-program.ts";
import { findServerAccount } from "../../src/db/embedded/server-account.ts";
import { stopProcess } from "../../src/db/embedded/stop-server.ts";
import { query, until } from "./embedded-testing.ts";

/** A PostgreSQL installed on this machine, in addition to the embedded one. */
export type InstalledPostgres = { major: number; version: string; bin: string };

export type OtherServer = {
  /** The database that always exists, as a superuser. */
  connectionString: string;
  stop(): Promise<void>;
};

/** Where Debian's packages put each major version. */
const DEBIAN_FOLDER = "/usr/lib/postgresql";
const INITDB_TIMEOUT_MS = 120_000;
/** As root, the server runs as another account, which must be able to reach its data. */
const PASSABLE_DIRECTORY = 0o711;
const PRIVATE_DIRECTORY = 0o700;
const USER = "postgres";

/**
 * The newest of each major version, in Debian's folder and in the program folders of SCRIP_TEST_POSTGRES. Finding
 * none is fine: the embedded server is tested anyway.
 */
export async function findOtherPostgres(): Promise<InstalledPostgres[]> {
  const majors = await readdir(DEBIAN_FOLDER).catch(() => []);
  const listed = (process.env.SCRIP_TEST_POSTGRES ?? "").split(delimiter).filter((path) => path !== "");
  const folders = [...majors.map((major) => join(DEBIAN_FOLDER, major, "bin")), ...listed];
  const found = await Promise.all(folders.map(readVersion));
  return found
    .filter((one) => one !== undefined)
    .filter((one, index, all) => all.findIndex(({ major }) => major === one.major) === index)
    .sort((a, b) => a.major - b.major);
}

async function readVersion(bin: string): Promise<InstalledPostgres | undefined> {
  const asked = await promisify(execFile)(join(bin, "postgres"), ["--version"]).catch(() => undefined);
  const version = /\d+(\.\d+)?/.exec(asked?.stdout ?? "")?.[0];
  return version === undefined ? undefined : { major: Number.parseInt(version, 10), version, bin };
}

/** A separate server with PostgreSQL's default settings and no environment to speak of, unless others are given. */
export async function startOtherPostgres(
  { bin }: InstalledPostgres,
  settings: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<OtherServer> {
  const root = await mkdtemp(join(tmpdir(), "scrip-other-postgres-"));
  await chmod(root, PASSABLE_DIRECTORY);
  const { account } = await findServerAccount(root);
  try {
    const data = await createData(root, bin, account);
    const port = await chooseFreePort();
    const connectionString = `postgres://${USER}@${LOOPBACK}:${port}/postgres`;
    const fixed = { listen_addresses: LOOPBACK, unix_socket_directories: "", port: String(port) };
    const child = await run(bin, data, account, { ...fixed, ...settings }, env);
    await until(async () => (child.exitCode === null ? query(connectionString, "select") : []));
    if (child.exitCode !== null) throw new Error(`PostgreSQL in ${bin} failed to start`);
    return {
      connectionString,
      async stop() {
        if (child.exitCode === null) await stopProcess(child.pid as number);
        await rm(root, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(root, { recursive: true, force: true });
    throw error;
  }
}

async function createData(root: string, bin: string, account: Account | undefined): Promise<string> {
  const data = join(root, "data");
  await mkdir(data, { mode: PRIVATE_DIRECTORY });
  if (account) await chown(data, account.uid, account.gid);
  const result = await runProgram(
    join(bin, "initdb"),
    ["-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"],
    { cwd: data, account, timeoutMs: INITDB_TIMEOUT_MS },
  );
  if (!result.ok) throw new Error(`cannot create a database with ${bin}: ${result.reason}`);
  return data;
}

async function run(
  bin: string,
  data: string,
  account: Account | undefined,
  settings: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const child = spawn(
    join(bin, "postgres"),
    [...["-D", data], ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    { cwd: data, env: { ...serverEnvironment(), ...env }, stdio: "ignore", ...account },
  );
  await once(child, "spawn");
  return child;
}
