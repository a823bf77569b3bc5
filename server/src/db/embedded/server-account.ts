import { readFile, stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { type Account, runProgram } from "./run-program.ts";

export type Accounts = {
  /** The owner of the files that we write. Undefined if we are not root. */
  owner: Account | undefined;
  /** The account of PostgreSQL. Undefined if it runs as ourselves. */
  account: Account | undefined;
};

/** No other program runs under this account: it could open the data through /proc and own the database. */
export const SERVER_ACCOUNT = "scrip-postgres";

const ROOT_UID = 0;
const CREATE_TIMEOUT_MS = 20_000;
/** Another process may be creating the account at the same time, and useradd gives up if its files are locked. */
const CREATE_ATTEMPTS = 5;
const CREATE_PAUSE_MS = 200;

/**
 * PostgreSQL refuses to run as root. Root acts for the owner of the directory, so that a command under sudo leaves
 * no files that the owner cannot use. In root's own directory PostgreSQL gets a dedicated account.
 */
export async function findServerAccount(directory: string): Promise<Accounts> {
  if (process.getuid?.() !== ROOT_UID) return { owner: undefined, account: undefined };
  const { uid, gid } = await stat(directory);
  const owner = { uid, gid };
  return { owner, account: uid === ROOT_UID ? await ensureServerAccount() : owner };
}

/**
 * How the data directory is passed to PostgreSQL. The account may be unable to reach it from the root (a home with
 * mode 700), but the working directory is entered before the account changes and stays reachable under /proc.
 */
export function dataDirectoryArgument(path: string, account: Account | undefined): string {
  return account !== undefined && process.platform === "linux" ? "/proc/self/cwd" : path;
}

/** initdb looks up its account by name, so a bare number is not enough. */
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

/** No home, no shell, no password: no one can sign in with it. */
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
