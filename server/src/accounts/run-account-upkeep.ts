import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { type Loop, runLoop } from "../work/run-loop.ts";
import { pruneAccounts } from "./prune-accounts.ts";

const PRUNE_EVERY_MS = 3_600_000;

/** Keeps the tables of sign-ins from growing: what expired is removed once an hour. */
export const runAccountUpkeep = (deps: { db: Db; clock: Clock; log: Log }): Loop =>
  runLoop({
    step: () => pruneAccounts(deps),
    pollMs: PRUNE_EVERY_MS,
    onError: (err) =>
      deps.log.error({ err }, "the removal of expired sign-in data failed; it is tried again"),
  });
