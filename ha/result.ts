import type { FaultRow } from "./fault-run.ts";
import type { EtcdApi } from "./options.ts";
import type { Findings } from "./verify.ts";

/** What a run saw. */
export type HaResult = {
  rows: FaultRow[];
  findings: Findings;
  orders: number;
  lostTries: number;
  etcdApi: EtcdApi;
};
