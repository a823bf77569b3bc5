import type { Db } from "../../db/database.ts";
import { emitEvents, type NewEvent } from "../../events/emit-events.ts";
import type { Clock } from "../../lib/clock.ts";
import { idsOf } from "../../lib/ids.ts";
import type { Log } from "../../lib/log.ts";
import { queueNotice } from "../../mail/queue-notice.ts";
import { type Loop, runLoop } from "../../work/run-loop.ts";
import { type DueAlert, type Fall, findFall, lockDueAlert, markSeen } from "./alert-queries.ts";
import { lowLetter } from "./low-letter.ts";

type WatchDeps = { db: Db; clock: Clock };

const WATCH_EVERY_MS = 15_000;
/** Wallets in one step, and entries of one wallet that are read at a time. */
const WALLETS_MAX = 100;
const ENTRIES_MAX = 5_000n;

/** Tells resellers whose balance fell below their threshold. Placements know nothing of it. */
export const runBalanceWatch = ({ log, ...deps }: WatchDeps & { log: Log }): Loop =>
  runLoop({
    step: () => watchBalances(deps),
    pollMs: WATCH_EVERY_MS,
    onError: (err) => log.error({ err }, "watching balances failed; trying again"),
  });

/** Looks at every wallet that has a threshold and has moved. Returns whether more may be left. */
export async function watchBalances(deps: WatchDeps): Promise<boolean> {
  for (let wallets = 0; wallets < WALLETS_MAX; wallets += 1) if (!(await watchNext(deps))) return false;
  return true;
}

/**
 * Reads the entries since the last look, so that a fall between two looks is found however the balance moved since. The letter, the
 * event and what was seen are written together. A fall that was made good before it was seen needs no letter.
 */
const watchNext = ({ db, clock }: WatchDeps): Promise<boolean> =>
  db.transaction(async (tx) => {
    const alert = await lockDueAlert(tx);
    if (!alert) return false;
    const { seenSequence, sequence, balanceMinor, belowMinor } = alert;
    const until = sequence - seenSequence > ENTRIES_MAX ? seenSequence + ENTRIES_MAX : sequence;
    const fall = balanceMinor < belowMinor ? await findFall(tx, alert, until) : undefined;
    if (fall) {
      await queueNotice(tx, alert.resellerId, "wallet_low", lowLetter(alert, fall), clock.now());
      await emitEvents(tx, [lowEvent(alert, fall)], idsOf(clock), clock.now());
    }
    await markSeen(tx, alert, until);
    return true;
  });

/** The entry that fell is the cause, as it is of the letter. */
const lowEvent = (alert: DueAlert, fall: Fall): NewEvent => ({
  type: "wallet.low",
  resellerId: alert.resellerId,
  environment: alert.environment,
  subject: { kind: "wallet", id: alert.resellerId },
  cause: fall.id,
  data: {
    balance: { amount: Number(fall.balanceMinor), currency: alert.currency },
    threshold: { amount: Number(alert.belowMinor), currency: alert.currency },
  },
});
