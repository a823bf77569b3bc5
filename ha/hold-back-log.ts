import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { Member } from "./member.ts";
import { sendSignal } from "./workplace.ts";

/** Shorter than wal_receiver_timeout, after which the standbys would reconnect and catch up. */
const HELD_BACK_MS = 2_500;

/**
 * Stops the processes that send the log, so that the standbys fall behind. Freezing the standbys would not work: sent data
 * waits for them in the sockets of the system.
 */
export async function holdBackLog(leader: Member): Promise<void> {
  const titles = await Promise.all(
    (await leader.postgresPids()).map(async (pid) => ({
      pid,
      title: await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""),
    })),
  );
  const senders = titles.filter(({ title }) => title.includes("walsender"));
  if (senders.length === 0) throw new Error(`${leader.name} sends its log to no standby`);
  for (const { pid } of senders) sendSignal(pid, "SIGSTOP");
  await wait(HELD_BACK_MS);
}
