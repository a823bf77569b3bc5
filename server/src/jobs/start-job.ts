import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db, Tx } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { idsOf } from "../lib/ids.ts";
import type { Keyring } from "../vault/keyring.ts";
import { storeInput } from "./job-files.ts";
import type { JobParams } from "./job-kind.ts";
import type { JobKindName } from "./kinds.ts";
import { insertJob } from "./queries.ts";

export type NewJob = {
  kind: JobKindName;
  params: JobParams;
  /** A file, sealed before it is stored. */
  input?: Uint8Array | undefined;
};

/** Queues long work. A worker takes it within seconds. */
export const startJob = (
  deps: { db: Db; clock: Clock; keyring: Keyring },
  job: NewJob,
  by: By,
): Promise<string> => deps.db.transaction((tx) => addJob(tx, deps, job, by));

/** The same in the transaction of what makes the work necessary. */
export async function addJob(
  tx: Tx,
  { clock, keyring }: { clock: Clock; keyring: Keyring },
  { kind, params, input }: NewJob,
  by: By,
): Promise<string> {
  const id = idsOf(clock)("job");
  await insertJob(tx, { id, kind, params, total: null, actor: by.actor, now: clock.now() });
  if (input) await storeInput(tx, keyring, id, input);
  await recordActivity(tx, clock, {
    ...by,
    action: "job.started",
    object: { kind: "job", id },
    after: { kind, ...params, ...(input ? { bytes: input.length } : {}) },
  });
  return id;
}
