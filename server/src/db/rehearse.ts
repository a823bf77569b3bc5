import type { Db } from "./database.ts";

/**
 * Runs a verb up to its commit and takes back what it wrote: what it would refuse is known before anyone is asked for more. Only for
 * verbs that do all they do in one transaction.
 */
export async function rehearse<Deps extends { db: Db }>(
  deps: Deps,
  verb: (trial: Deps) => Promise<unknown>,
): Promise<void> {
  const { db } = deps;
  const trial: Db = {
    ...db,
    transaction: (work) =>
      db.transaction(async (tx) => {
        await work(tx);
        throw new TakenBack();
      }),
  };
  try {
    await verb({ ...deps, db: trial });
  } catch (error) {
    if (!(error instanceof TakenBack)) throw error;
  }
}

/** Ends a transaction that has shown what it would do. */
class TakenBack extends Error {}
