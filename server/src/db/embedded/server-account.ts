import { readFile, stat } from "node:fs/promises";

export type Account = { uid: number; gid: number };

export type Accounts = {
  /** Who owns the files that we write; undefined when we are not root. */
  owner: Account | undefined;
  /** Whom PostgreSQL runs as; undefined when it runs as ourselves. */
  account: Account | undefined;
};

const ROOT_UID = 0;
const NOBODY: Account = { uid: 65_534, gid: 65_534 };

/**
 * PostgreSQL refuses to run as root. Root acts for the owner of the directory, so that a command under sudo leaves
 * nothing behind which that owner can no longer use; in root's own directory PostgreSQL runs as nobody.
 */
export async function findServerAccount(directory: string): Promise<Accounts> {
  if (process.getuid?.() !== ROOT_UID) return { owner: undefined, account: undefined };
  const { uid, gid } = await stat(directory);
  const owner = { uid, gid };
  return { owner, account: uid === ROOT_UID ? await findNobody() : owner };
}

/**
 * How PostgreSQL is told its data directory, in which it is started. Another account may not be able to walk there
 * from the root (a home of mode 700), but the working directory is entered before the account changes, and stays
 * reachable under this name.
 */
export function dataDirectoryArgument(path: string, account: Account | undefined): string {
  return account !== undefined && process.platform === "linux" ? "/proc/self/cwd" : path;
}

async function findNobody(): Promise<Account> {
  const passwd = await readFile("/etc/passwd", "utf8").catch(() => "");
  const fields = passwd
    .split("\n")
    .find((line) => line.startsWith("nobody:"))
    ?.split(":");
  const uid = Number(fields?.[2]);
  const gid = Number(fields?.[3]);
  // macOS writes nobody as -2, which setuid does not take.
  return uid > 0 && gid > 0 ? { uid, gid } : NOBODY;
}
