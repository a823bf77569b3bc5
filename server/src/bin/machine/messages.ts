import type { MetricObjectWithValues, MetricValue } from "prom-client";
import type { Placer } from "../../orders/forward/share-placements.ts";
import type { Role } from "../serve.ts";

/** What one process has counted so far. */
export type Measured = MetricObjectWithValues<MetricValue<string>>[];

/** What a process of the machine does. A worker beside HTTP processes listens on no port. */
export type Duty = {
  /** Names the process in its log lines: `http-1`, `worker-1`. */
  label: string;
  role: Exclude<Role, "all">;
  listens: boolean;
  /** Of an HTTP process: one of them places orders for all, so that batches stay large. */
  placer: Placer | undefined;
};

/** From the supervisor to a process. */
export type ToProcess =
  | {
      kind: "begin";
      duty: Duty;
      /** Of the embedded PostgreSQL, which the supervisor owns. */
      embeddedUrl: string | undefined;
    }
  | { kind: "stop" }
  | { kind: "measure" }
  | { kind: "sums"; text: string };

/** From a process to the supervisor. */
export type FromProcess =
  | { kind: "up" }
  | { kind: "ready"; address: string; consoleAddress: string | undefined }
  /** It cannot start. The message is for the operator. */
  | { kind: "failed"; message: string }
  | { kind: "measured"; metrics: Measured }
  /** It serves /metrics on the public port and wants the sums of all processes. */
  | { kind: "sum" };
