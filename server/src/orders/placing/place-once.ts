import type { Db, Tx } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { machineTimeMs } from "../../lib/machine-time.ts";
import { type ConfirmedRow, confirmPlacements } from "./confirm-queries.ts";
import { type Decision, decidePlacements, type Placement, type PlacementState } from "./decide-placements.ts";
import { insertConfirmedPlacements, insertPlacements } from "./insert-queries.ts";
import { irregularWallets, type KnownWallets } from "./known-wallets.ts";
import { beginPlacements, fenceWallets, freezeKeys, type StateRow, toState } from "./placement-queries.ts";

export type PlaceDeps = { db: Db; clock: Clock; lockTimeoutMs: number; known: KnownWallets };

/**
 * Decides and writes a batch in one transaction. The state is predicted if it can be: then nothing waits for this process while
 * the wallets are locked. What was predicted wrongly is decided again under the locks. `letNext` is called when the next batch can
 * be predicted from this one.
 */
export async function placeOnce(
  deps: PlaceDeps,
  placements: readonly Placement[],
  letNext: () => void,
): Promise<Decision[]> {
  const predicted = deps.known.predict(placements);
  try {
    const confirmed = predicted && (await placeAsPredicted(deps, placements, predicted, letNext));
    return confirmed ?? (await placeUnderLock(deps, placements, letNext));
  } catch (error) {
    deps.known.forget(placements);
    throw error;
  }
}

/** One round trip. Undefined if the database did not confirm the prediction; then nothing was written. */
async function placeAsPredicted(
  { db, clock, lockTimeoutMs, known }: PlaceDeps,
  placements: readonly Placement[],
  state: PlacementState,
  letNext: () => void,
): Promise<Decision[] | undefined> {
  const confirm = confirmPlacements(placements, state, clock.now(), lockTimeoutMs);
  const before = new Map(state.wallets);
  const decisions = decidePlacements(state, placements, machineTimeMs());
  const { placed, heads } = toWrite(decisions, before, state);
  const insert = placed.length > 0 ? insertConfirmedPlacements(placed, heads) : undefined;
  let isConfirmed = false;
  await db.wholeTransaction<ConfirmedRow>(confirm, insert, ([row], changed) => {
    const atMs = row?.confirmedAtMs ?? null;
    isConfirmed = atMs !== null;
    if (changed !== (isConfirmed ? heads.length : 0)) throw new Error("a batch was not written as confirmed");
    if (atMs === null) return;
    known.confirmed(state, Number(atMs));
    letNext();
  });
  return isConfirmed ? decisions : undefined;
}

/** Two round trips: the wallets are locked with `begin`, and everything is written with `commit`. */
const placeUnderLock = (
  { db, clock, lockTimeoutMs, known }: PlaceDeps,
  placements: readonly Placement[],
  letNext: () => void,
): Promise<Decision[]> => {
  known.willLock(placements);
  return db.shortTransaction<StateRow, Decision[]>(
    beginPlacements(placements, clock.now(), lockTimeoutMs),
    async (tx, rows) => {
      const state = toState(rows);
      const irregular = irregularWallets(state, placements);
      const before = new Map(state.wallets);
      const decisions = decidePlacements(state, await priceUnderLock(tx, state, placements), machineTimeMs());
      known.found(before, state, irregular);
      letNext();
      const frozen = decisions.flatMap((decision) =>
        decision.kind === "refused" && decision.freezes !== undefined ? [decision.freezes] : [],
      );
      if (frozen.length > 0) await freezeKeys(tx, frozen, clock.now());
      const doubtful = placements.filter((one, index) => one.isInDoubt && isRefusal(decisions[index]));
      if (doubtful.length > 0) {
        await fenceWallets(tx, doubtful);
        known.forget(doubtful);
      }
      const { placed, heads } = toWrite(decisions, before, state);
      return { result: decisions, last: placed.length > 0 ? insertPlacements(placed, heads) : undefined };
    },
  );
};

const isRefusal = (decision: Decision | undefined): boolean =>
  decision?.kind === "refused" || decision?.kind === "revoked";

/** The orders to write, and the heads that they change. */
function toWrite(
  decisions: readonly Decision[],
  before: PlacementState["wallets"],
  { wallets }: PlacementState,
) {
  const placed = decisions.flatMap((decision) => (decision.kind === "placed" ? [decision.placed] : []));
  const heads = [...wallets].flatMap(([key, head]) => (before.get(key) === head ? [] : [head]));
  return { placed, heads };
}

/** Prices what could not be priced ahead, at exactly the revision of the decision. */
async function priceUnderLock(
  tx: Tx,
  state: PlacementState,
  placements: readonly Placement[],
): Promise<readonly Placement[]> {
  if (placements.every(({ priceAgain }) => priceAgain === undefined)) return placements;
  const current: Placement[] = [];
  for (const placement of placements) {
    const catalogRevision = state.revisions.get(placement.resellerId) ?? "";
    const { priceAgain } = placement;
    current.push(priceAgain ? { ...placement, catalogRevision, priced: await priceAgain(tx) } : placement);
  }
  return current;
}
