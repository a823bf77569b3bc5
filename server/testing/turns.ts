import { setImmediate as nextPhase } from "node:timers/promises";

export type TakeTurn = <Result>(act: () => Promise<Result>) => Promise<Result>;

/**
 * Serves callers first come, first served. The next one starts only when the previous one has finished and its
 * consequences have settled, so the order of callers is deterministic.
 */
export function createTurns(): TakeTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const turn = last.then(act);
    last = turn.then(comeToRest, comeToRest);
    return turn;
  };
}

/** Consequences can wait for the next phase of the event loop, as batched callers do. */
async function comeToRest(): Promise<void> {
  await nextPhase();
  await nextPhase();
}
