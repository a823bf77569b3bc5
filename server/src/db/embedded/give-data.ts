import { lchown, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Account } from "./run-program.ts";

/**
 * Hands the data of a stopped server to the account that it runs under from now on: an earlier version ran it as nobody.
 * The directory itself changes hands last, so that a start that was interrupted here is finished by the next one.
 */
export async function giveData(data: string, account: Account): Promise<void> {
  const { uid } = await lstat(data);
  if (uid === account.uid) return;
  for (const name of await readdir(data, { recursive: true }))
    await lchown(join(data, name), account.uid, account.gid);
  await lchown(data, account.uid, account.gid);
}
