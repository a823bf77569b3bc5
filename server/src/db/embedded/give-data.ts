import { lchown, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Account } from "./run-program.ts";

/**
 * Changes the owner of a stopped server's data to the account it now runs as: an earlier version used nobody. The
 * directory itself is changed last, so that the next start finishes an interrupted change.
 */
export async function giveData(data: string, account: Account): Promise<void> {
  const { uid } = await lstat(data);
  if (uid === account.uid) return;
  for (const name of await readdir(data, { recursive: true }))
    await lchown(join(data, name), account.uid, account.gid);
  await lchown(data, account.uid, account.gid);
}
