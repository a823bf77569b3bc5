import { readFile, stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { type Account, runProgram } from "./run-program.ts";

export type Accounts = {
  /** Who owns the files that we write; undefined when we are not root. */
  owner: Account | undefined;
  /** Whom PostgreSQL runs as; undefined when it runs as ourselves. */
  account: Account | undefined;
};

/** Nothing else runs under this account: whoever does could open the data through /proc and own the database. */
export const SERVER_ACCOUNT = "scrip-postgres";

const ROOT_UID = 0;
const CREATE_TIMEOUT_MS = 20_000;
/** Another process may be creating the account at this moment, and useradd gives up when its files are locked. */
const CREATE_ATTEMPTS = 5;
const CREATE_PAUSE_MS = 200;

/**
 * PostgreSQL refuses to run as root. Root acts for the owner of the directory, so that a command under sudo leaves
 * nothing behind which that owner can no longer use; in root's own directory PostgreSQL gets an account of its own.
 */
export async function findServerAccount(directory: string): Promise<Accounts> {
  if (process.getuid?.() !== ROOT_UID) return { owner: undefined, account: undefined };
  const { uid, gid } = await stat(directory);
  const owner = { uid, gid };
  return { owner, account: uid === ROOT_UID ? await ensureServerAccount() : owner };
}

/**
 * How PostgreSQL is told its data directory, in which it is started. Another account may not be able to walk there
 * from the root (a home of mode 700), but the working directory is entered before the account changes, and stays
 * reachable under this name.
 */
export function dataDirectoryArgument(path: string, account: Account | undefined): string {
  return account !== undefined && process.platform === "linux" ? "/proc/self/cwd" : path;
}

/** initdb looks its own account up by name, so a number without an entry would not do. */
async function ensureServerAccount(): Promise<Account> {
  let reason = "";
  for (let attempt = 0; attempt < CREATE_ATTEMPTS; attempt += 1) {
    const found = await findAccount(SERVER_ACCOUNT);
    if (found) return found;
    if (attempt > 0) await delay(CREATE_PAUSE_MS);
    const result = await createAccount();
    if (!result.ok) reason = result.reason;
  }
  throw new Error(
    `cannot create the account ${SERVER_ACCOUNT}, which PostgreSQL needs because it does not run as root (${reason}); ` +
      "start Scrip as another user, create that account, or set DATABASE_URL",
  );
}

async function findAccount(name: string): Promise<Account | undefined> {
  const passwd = await readFile("/etc/passwd", "utf8").catch(() => "");
  const fields = passwd
    .split("\n")
    .find((line) => line.startsWith(`${name}:`))
    ?.split(":");
  const uid = Number(fields?.[2]);
  const gid = Number(fields?.[3]);
  return uid > 0 && gid > 0 ? { uid, gid } : undefined;
}

/** No home, no shell, no password: nobody can sign in with it. */
const createAccount = () =>
  runProgram(
    "useradd",
    [
      ...["--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"],
      ...["--shell", "/usr/sbin/nologin", "--comment", "PostgreSQL of Scrip", SERVER_ACCOUNT],
    ],
    {
      cwd: "/",
      account: undefined,
      timeoutMs: CREATE_TIMEOUT_MS,
      path: "/usr/sbin:/usr/bin:/sbin:/bin",
    },
  );
