import type { FastifyInstance } from "fastify";
import { Counter, type Registry } from "prom-client";
import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { logRequests } from "./log-requests.ts";
import { createRequestLog, type RequestLogLimits } from "./request-log.ts";

export type OpenRequestLogDeps = {
  db: Db;
  clock: Clock;
  log: Log;
  registry: Registry;
  limits?: Partial<RequestLogLimits> | undefined;
};

/** Keeps the requests that this app answers, until it closes. */
export function openRequestLog(
  app: FastifyInstance,
  { db, clock, log, registry, limits }: OpenRequestLogDeps,
): void {
  const dropped = countDropped(registry);
  const requestLog = createRequestLog({
    db,
    clock,
    onDropped: (count) => dropped.inc(count),
    onError: (err) => log.warn({ err }, "could not write the request log"),
    ...(limits ? { limits } : {}),
  });
  logRequests(app, requestLog);
  app.addHook("onClose", () => requestLog.close());
}

export const countDropped = (registry: Registry): Counter =>
  new Counter({
    name: "scrip_request_log_dropped_total",
    help: "API requests that were answered but are missing in the request log.",
    registers: [registry],
  });
