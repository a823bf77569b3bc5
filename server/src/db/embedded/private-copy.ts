import {
  chmod,
  constants,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Account } from "./run-program.ts";
import { errorCode, errorMessage } from "./system-error.ts";

const DIRECTORY_FOR_ALL = 0o755;
const DIRECTORY_FOR_US = 0o700;
const PROGRAM = 0o755;
const PLAIN_FILE = 0o644;
const OWNER_MAY_RUN = 0o100;
const OTHERS_MAY_WRITE = 0o022;
const OTHERS_MAY_ENTER = 0o001;
const NAME_IS_TAKEN: ReadonlySet<string> = new Set(["ENOTEMPTY", "EEXIST", "ENOTDIR", "EPERM", "EACCES"]);

/**
 * Copies PostgreSQL (60 MB) once to a place where the account can run it. A directory that another user could have
 * written to is never used, because root would run its content.
 */
export async function copyPrivately(
  original: { version: string; native: string },
  account: Account | undefined,
  finish: (draft: string) => Promise<void>,
): Promise<string> {
  const name = `scrip-postgres-${original.version}-${process.getuid?.() ?? 0}`;
  const parent = await findEnterableParent(account);
  const final = join(parent, name);
  if ((await isOurs(final)) && (await isWhole(final, original.native))) {
    await finish(final);
    return final;
  }

  const draft = await mkdtemp(`${final}-`);
  try {
    await copyTree(original.native, draft);
    await finish(draft);
    await chmod(draft, account === undefined ? DIRECTORY_FOR_US : DIRECTORY_FOR_ALL);
    return await moveInto(draft, final, original.native);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw new Error(`cannot copy PostgreSQL to ${parent}: ${errorMessage(error)}`, { cause: error });
  }
}

/** The user's TMPDIR can be as inaccessible to the account as the original folder. */
async function findEnterableParent(account: Account | undefined): Promise<string> {
  if (account === undefined) return tmpdir();
  for (const candidate of [tmpdir(), "/tmp", "/var/tmp"]) {
    if (await canOthersEnter(candidate)) return candidate;
  }
  return tmpdir();
}

async function canOthersEnter(directory: string): Promise<boolean> {
  const steps = directory.split("/").map((_, index, parts) => parts.slice(0, index + 1).join("/") || "/");
  for (const step of steps) {
    const info = await lstat(step).catch(() => undefined);
    if (info === undefined || (info.mode & OTHERS_MAY_ENTER) === 0) return false;
  }
  return true;
}

async function isOurs(copy: string): Promise<boolean> {
  const info = await lstat(copy).catch(() => undefined);
  if (info === undefined || !info.isDirectory()) return false;
  return info.uid === process.getuid?.() && (info.mode & OTHERS_MAY_WRITE) === 0;
}

/** Cleanup jobs remove single old files from temporary directories, so each file is checked. */
async function isWhole(copy: string, original: string): Promise<boolean> {
  for (const entry of await readdir(original, { withFileTypes: true })) {
    const from = join(original, entry.name);
    const to = join(copy, entry.name);
    if (entry.isDirectory()) {
      if (!(await isWhole(to, from))) return false;
    } else {
      const [wanted, found] = await Promise.all([lstat(from), lstat(to).catch(() => undefined)]);
      if (found === undefined || found.size !== wanted.size) return false;
    }
  }
  return true;
}

async function copyTree(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) {
      await mkdir(target);
      await chmod(target, DIRECTORY_FOR_ALL);
      await copyTree(source, target);
    } else if (entry.isSymbolicLink()) {
      await symlink(await readlink(source), target);
    } else {
      await copyFile(source, target, constants.COPYFILE_FICLONE);
      // The install may have run under a umask that excludes other accounts.
      const mayRun = ((await lstat(source)).mode & OWNER_MAY_RUN) !== 0;
      await chmod(target, mayRun ? PROGRAM : PLAIN_FILE);
    }
  }
}

async function moveInto(draft: string, final: string, original: string): Promise<string> {
  if (await tryToRename(draft, final)) return final;
  // Another user owns the name. The draft, whose name is unpredictable, is used instead.
  if (!(await isOurs(final))) return draft;

  const aside = `${draft}-old`;
  // Another process of ours may have put its copy there. An incomplete one is replaced.
  if (!(await isWhole(final, original))) await tryToRename(final, aside);
  const moved = await tryToRename(draft, final);
  await rm(aside, { recursive: true, force: true });
  if (!moved) await rm(draft, { recursive: true, force: true });
  return final;
}

async function tryToRename(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (NAME_IS_TAKEN.has(errorCode(error) ?? "")) return false;
    throw error;
  }
}
