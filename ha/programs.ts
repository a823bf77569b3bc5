import { execFile } from "node:child_process";
import { accessSync, constants, globSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

/** The programs that must be installed. */
export type Programs = {
  patroni: string;
  patroniVersion: string;
  etcd: string;
  haproxy: string;
  haproxyVersion: string;
  /** The folder of `postgres`, `initdb` and the like. */
  postgresBin: string;
  postgresVersion: string;
};

const PACKAGES = { patroni: "patroni", etcd: "etcd-server", haproxy: "haproxy", postgres: "postgresql" };
/** Where daemons are, which the PATH of a plain user may lack. */
const MORE_FOLDERS = ["/usr/sbin", "/usr/local/sbin"];
const VERSION_TIMEOUT_MS = 10_000;

/** Finds all programs, or says in one line what to install. */
export async function findPrograms(patroni: string | undefined): Promise<Programs | { missing: string }> {
  const found = {
    patroni: patroni ?? findOnPath("patroni"),
    etcd: findOnPath("etcd"),
    haproxy: findOnPath("haproxy"),
    postgres: findPostgres(),
  };
  const missing = (Object.keys(found) as (keyof typeof found)[]).filter((name) => found[name] === undefined);
  if (missing.length > 0) return { missing: describeMissing(missing) };
  const { patroni: patroniPath = "", etcd = "", haproxy = "", postgres = "" } = found;
  return {
    patroni: patroniPath,
    patroniVersion: await versionOf(patroniPath, ["--version"]),
    etcd,
    haproxy,
    haproxyVersion: await versionOf(haproxy, ["-v"]),
    postgresBin: dirname(postgres),
    postgresVersion: await versionOf(postgres, ["--version"]),
  };
}

export const describeMissing = (names: readonly (keyof typeof PACKAGES)[]): string =>
  `npm run ha needs ${names.join(", ")}: apt-get install ${names.map((name) => PACKAGES[name]).join(" ")}`;

/** Patroni before 3.0.3 overwrites the leader's key in etcd v3 without checking who holds it; see docs/scaling.md. */
export function isSafeWithEtcdV3(patroniVersion: string): boolean {
  const [major = 0, minor = 0, patch = 0] = patroniVersion.split(".").map(Number);
  return major > 3 || (major === 3 && (minor > 0 || patch >= 3));
}

/** The newest of the installed versions. */
const findPostgres = (): string | undefined =>
  globSync("/usr/lib/postgresql/*/bin/postgres")
    .filter(isExecutable)
    .sort((left, right) => majorOf(right) - majorOf(left))[0];

const majorOf = (path: string): number => Number(/postgresql\/(\d+)\//.exec(path)?.[1] ?? 0);

const findOnPath = (name: string): string | undefined =>
  [...(process.env.PATH ?? "").split(delimiter), ...MORE_FOLDERS]
    .map((folder) => join(folder, name))
    .find(isExecutable);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function versionOf(path: string, args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(path, args, { timeout: VERSION_TIMEOUT_MS });
  return /\d+\.\d+(\.\d+)?/.exec(stdout)?.[0] ?? "unknown";
}
