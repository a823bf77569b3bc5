import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createAccess, syncDirectory, writeAccess } from "./access.ts";
import { chooseFreePort } from "./choose-port.ts";
import { type DatabaseLayout, databaseLayoutOf, type Layout } from "./cluster.ts";
import type { Binaries } from "./find-binaries.ts";
import { isAlive } from "./process-state.ts";
import { runProgram } from "./run-program.ts";
import { type Accounts, dataDirectoryArgument } from "./server-account.ts";
import { errorCode } from "./system-error.ts";

const DRAFT_NAME = /^db\.new-(\d+)-/;
const INITDB_TIMEOUT_MS = 120_000;

/** The process of a draft this old has ended, even if its pid is in use. */
const MAX_DRAFT_AGE_MS = 3_600_000;

const PRIVATE_DIRECTORY = 0o700;
/** initdb runs as another account and must be able to reach the password next to its data directory. */
const PASSABLE_DIRECTORY = 0o711;
const PRIVATE_FILE = 0o600;

/** Returns false if another process was faster. Then its database is used. */
export async function createCluster(
  layout: Layout,
  binaries: Binaries,
  accounts: Accounts,
): Promise<boolean> {
  await removeAbandonedDrafts(layout.root);
  const draft = databaseLayoutOf(
    join(layout.root, `db.new-${process.pid}-${randomBytes(4).toString("hex")}`),
  );
  try {
    await fillDraft(draft, binaries, accounts);
    await rename(draft.database, layout.database);
    await syncDirectory(layout.root);
    return true;
  } catch (error) {
    await rm(draft.database, { recursive: true, force: true });
    if (errorCode(error) === "ENOTEMPTY" || errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

async function removeAbandonedDrafts(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const pid = DRAFT_NAME.exec(name)?.[1];
    if (pid === undefined) continue;
    const info = await stat(join(root, name)).catch(() => undefined);
    const isOld = info !== undefined && Date.now() - info.mtimeMs > MAX_DRAFT_AGE_MS;
    if (isOld || !isAlive(Number(pid))) await rm(join(root, name), { recursive: true, force: true });
  }
}

async function fillDraft(
  draft: DatabaseLayout,
  binaries: Binaries,
  { owner, account }: Accounts,
): Promise<void> {
  const access = createAccess(await chooseFreePort());
  await mkdir(draft.database, { mode: PRIVATE_DIRECTORY });
  await mkdir(draft.data, { mode: PRIVATE_DIRECTORY });
  const passwordFile = join(draft.database, "password");
  await writeFile(passwordFile, `${access.password}\n`, { mode: PRIVATE_FILE });
  if (owner !== undefined) await chown(draft.database, owner.uid, owner.gid);
  if (account !== undefined) {
    await chown(draft.data, account.uid, account.gid);
    await chown(passwordFile, account.uid, account.gid);
    await chmod(draft.database, PASSABLE_DIRECTORY);
  }
  await runInitdb(draft.data, access.user, binaries, account);
  await rm(passwordFile);
  await chmod(draft.database, PRIVATE_DIRECTORY);
  await writeAccess(draft.access, access, owner);
}

async function runInitdb(
  data: string,
  user: string,
  binaries: Binaries,
  account: Accounts["account"],
): Promise<void> {
  const args = [
    ...["-D", dataDirectoryArgument(data, account)],
    ...["-U", user, "-A", "scram-sha-256", "--pwfile=../password"],
    // Collation comes from PostgreSQL itself, so it is the same on every system and after system updates.
    ...["-E", "UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"],
  ];
  const result = await runProgram(binaries.initdb, args, {
    cwd: data,
    account,
    timeoutMs: INITDB_TIMEOUT_MS,
  });
  if (!result.ok) throw new Error(`cannot create the database: ${result.reason}`);
}
