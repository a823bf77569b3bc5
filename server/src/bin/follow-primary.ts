import { Counter, Histogram } from "prom-client";
import type { ServingDb } from "../db/database.ts";
import { pruneProcesses } from "../db/primary/prune-processes.ts";
import { describeProcess } from "../db/primary/serving-process.ts";
import type { PrimaryEvents } from "../db/primary/watch-primary.ts";
import type { Metrics } from "../http/metrics.ts";
import type { Log } from "../lib/log.ts";

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5];

/** Starts the heartbeat of a serving process, with its metrics and log lines. */
export async function followPrimary(
  db: ServingDb,
  role: string,
  { registry }: Pick<Metrics, "registry">,
  log: Log,
): Promise<void> {
  const registers = [registry];
  const beats = new Histogram({
    name: "scrip_database_heartbeat_seconds",
    help: "Time until the database confirmed the heartbeat, a small write once a second.",
    buckets: BUCKETS_SECONDS,
    registers,
  });
  const changes = new Counter({
    name: "scrip_database_primary_changes_total",
    help: "How often this process replaced all connections, because of a new primary or a silent one.",
    registers,
  });
  await db.watchPrimary(describeProcess(role), {
    onBeat: (elapsedMs) => beats.observe(elapsedMs / 1_000),
    ...tellOf(log, () => changes.inc()),
  });
  // A process that was never confirmed is pruned by a later start.
  await pruneProcesses(db).catch(() => {});
}

/** The first confirmation is only informational. */
function tellOf(log: Log, onChange: () => void): Pick<PrimaryEvents, "onDoubt" | "onConfirmed"> {
  let isFirst = true;
  return {
    onDoubt: (host, err) => log.warn({ host, err }, "the primary is not confirmed; asking all hosts"),
    onConfirmed(host, term, isNew) {
      if (!isFirst && isNew) onChange();
      const words =
        isNew && !isFirst
          ? "a new primary was confirmed; older connections were dropped"
          : "the primary was confirmed";
      log[isNew && !isFirst ? "warn" : "info"]({ host, term }, words);
      isFirst = false;
    },
  };
}
