/** Every fault of `npm run ha`, in the order of the table. */
export const FAULT_NAMES = [
  "switchover",
  "kill-postgres",
  "kill-patroni",
  "kill-both",
  "freeze-patroni",
  "freeze-postgres",
  "freeze-both",
  "kill-etcd",
  "pause-standby",
] as const;
export type FaultName = (typeof FAULT_NAMES)[number];

/** The title of each fault in the table. */
export const FAULT_TITLES: Readonly<Record<FaultName, string>> = {
  switchover: "switchover",
  "kill-postgres": "kill -9 of the leader's postmaster",
  "kill-patroni": "kill -9 of the leader's Patroni, PostgreSQL alive",
  "kill-both": "kill -9 of everything on the leader",
  "freeze-patroni": "freeze of the leader's Patroni, PostgreSQL alive",
  "freeze-postgres": "freeze of the leader's PostgreSQL, Patroni alive",
  "freeze-both": "freeze of everything on the leader",
  "kill-etcd": "death of etcd, and its return",
  "pause-standby": "freeze of the synchronous standby",
};
