import type { Db } from "../db/database.ts";
import { isDatabaseUnavailable } from "../db/database-errors.ts";
import { isHeldBack } from "../db/time-partitions.ts";
import type { Clock } from "../lib/clock.ts";
import type { LoggedRequest } from "./logged-request.ts";
import { keepPartitions } from "./partitions.ts";
import { insertRequests, isRefused } from "./queries.ts";

export type RequestLog = {
  /** Returns at once. A request that there is no room for is dropped and counted. */
  add(request: LoggedRequest): void;
  /** Writes what is waiting, and then no more. */
  close(): Promise<void>;
};

export type RequestLogDeps = {
  db: Db;
  clock: Clock;
  onDropped: (count: number) => void;
  onError: (error: unknown) => void;
  limits?: Partial<RequestLogLimits>;
};

export type RequestLogLimits = {
  /** How many requests may wait in memory. */
  waitingMax: number;
  /** How many of those may have presented a key that was not accepted: callers without a key must not fill the log. */
  refusedMax: number;
  batchMax: number;
  flushDelayMs: number;
  /** How long to wait after a failed write. */
  retryDelayMs: number;
};

const LIMITS: RequestLogLimits = {
  waitingMax: 20_000,
  refusedMax: 200,
  batchMax: 1_000,
  flushDelayMs: 500,
  retryDelayMs: 2_000,
};
const DAY_MS = 86_400_000;

/**
 * The log is written in batches a moment after the requests, one batch at a time, and never in a request's way. While the
 * database lags, requests wait in memory up to a limit; beyond it they are dropped. A batch that may have been written is
 * sent again, without the rows that are there already.
 */
export function createRequestLog(deps: RequestLogDeps): RequestLog {
  const limits = { ...LIMITS, ...deps.limits };
  let waiting: LoggedRequest[] = [];
  let refused = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let preparedDay = -1;
  let wasHeldBack = false;
  /** How many of those that wait were in a batch that may have been written. */
  let tried = 0;
  let closed = false;

  const prepareDay = async (): Promise<void> => {
    const now = deps.clock.now();
    const day = Math.floor(now.getTime() / DAY_MS);
    if (day === preparedDay) return;
    await keepPartitions(deps.db, now);
    preparedDay = day;
    wasHeldBack = false;
  };
  /** Whether the batch is done with: written, or of no use to the database. */
  const write = async (batch: readonly LoggedRequest[], again: boolean): Promise<boolean> => {
    try {
      await prepareDay();
    } catch (error) {
      // Partitions are made days ahead, so the batch may well have one. The first time, another process may be making them.
      if (!isHeldBack(error) || wasHeldBack) deps.onError(error);
      wasHeldBack = isHeldBack(error);
    }
    try {
      await insertRequests(deps.db, batch, { again });
    } catch (error) {
      deps.onError(error);
      if (isDatabaseUnavailable(error)) return false;
      deps.onDropped(batch.length);
    }
    return true;
  };
  const flush = async (): Promise<void> => {
    const batch = waiting.slice(0, tried || limits.batchMax);
    const isDone = await write(batch, tried > 0);
    tried = isDone ? 0 : batch.length;
    if (!isDone) return schedule(limits.retryDelayMs);
    waiting = waiting.slice(batch.length);
    refused -= batch.filter(isRefused).length;
    if (waiting.length > 0) schedule(waiting.length >= limits.batchMax ? 0 : limits.flushDelayMs);
  };
  const schedule = (delayMs: number): void => {
    if (closed) return;
    timer ??= setTimeout(start, delayMs).unref();
  };
  const start = (): void => {
    timer = undefined;
    writing ??= flush().finally(() => {
      writing = undefined;
    });
  };

  return {
    add(request) {
      const isFull =
        waiting.length >= limits.waitingMax || (isRefused(request) && refused >= limits.refusedMax);
      if (closed || isFull) return deps.onDropped(1);
      waiting.push(request);
      if (isRefused(request)) refused += 1;
      if (writing === undefined) schedule(limits.flushDelayMs);
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await writing;
      // Once: a database that is gone must not hold up the end of the process.
      while (waiting.length > 0) {
        const before = waiting.length;
        await flush();
        if (waiting.length === before) return deps.onDropped(before);
      }
    },
  };
}
