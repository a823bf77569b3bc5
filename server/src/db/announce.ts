import sql from "sql-template-tag";
import type { Db } from "./database.ts";

/** The minimum interval between two announcements of a process. */
const ANNOUNCE_EVERY_MS = 20;

/**
 * Tells listeners on the channel that there is work. It runs after the commit and separately: NOTIFY inside
 * transactions would make them commit one at a time. A lost announcement only delays the work until the next poll.
 */
export function createAnnouncer(db: Db, channel: string): () => void {
  let timer: NodeJS.Timeout | undefined;
  let again = false;

  const tell = () => {
    void db.rows(sql`select pg_notify(${channel}, '')`, { name: "announce" }).catch(() => {});
    timer = setTimeout(() => {
      timer = undefined;
      if (again) {
        again = false;
        tell();
      }
    }, ANNOUNCE_EVERY_MS);
    timer.unref();
  };

  return () => {
    if (timer) again = true;
    else tell();
  };
}
