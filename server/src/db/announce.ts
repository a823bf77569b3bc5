import sql from "sql-template-tag";
import type { Db } from "./database.ts";

/** At most so often a process tells the workers that there is something to do. */
const ANNOUNCE_EVERY_MS = 20;

/**
 * Tells whoever listens on the channel that there is work. It is told after the commit and apart from it: a NOTIFY inside
 * a transaction makes all such transactions commit one after another. One that is lost costs a poll's wait at most.
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
