import { access, constants, mkdir, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode, errorMessage } from "./system-error.ts";

const PRIVATE_DIRECTORY = 0o700;
const EVERYBODY_MAY_WRITE = 0o002;

/** Creates DATA_DIR if it is missing and returns its real path. A directory that others can write to is refused. */
export async function openDataDir(path: string): Promise<string> {
  try {
    await makeDirectory(path);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(`cannot use DATA_DIR ${path}: ${errorMessage(error)}`, { cause: error });
  }
  await refuseOpenDirectory(path);
  return realpath(path);
}

/** Node.js's recursive mkdir never ends where a directory cannot be created, such as in /proc. */
async function makeDirectory(path: string): Promise<void> {
  const make = () => mkdir(path, { mode: PRIVATE_DIRECTORY });
  try {
    await make();
  } catch (error) {
    if (errorCode(error) === "EEXIST") return;
    if (errorCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    await makeDirectory(dirname(path));
    await make();
  }
}

/** Anyone who can write there can replace the master key and the database. Windows has no such permissions. */
export async function refuseOpenDirectory(path: string): Promise<void> {
  const { mode } = await stat(path);
  if (process.platform !== "win32" && (mode & EVERYBODY_MAY_WRITE) !== 0)
    throw new Error(`DATA_DIR ${path} is writable by everyone; run: chmod 700 ${path}`);
}
