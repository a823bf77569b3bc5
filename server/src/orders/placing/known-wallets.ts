import { machineTimeMs } from "../../lib/machine-time.ts";
import type { WalletHead } from "../../wallet/entry.ts";
import { FROZEN, livingKey, type Placement, type PlacementState, walletKey } from "./decide-placements.ts";

type Heads = PlacementState["wallets"];

/**
 * What this process remembers of wallets that it has locked. A guess and no more: what is decided by it is written only where the
 * database confirms it.
 */
export type KnownWallets = {
  /**
   * What the database will most likely return for these placements, or undefined if that cannot be told: only for wallets that
   * nobody else has moved since this process locked them last. Until the outcome is told, nothing is predicted of them again.
   */
  predict(placements: readonly Placement[]): PlacementState | undefined;
  /** The prediction was confirmed at this time of the database, and the wallets are left like this. */
  confirmed(after: PlacementState, atMs: number): void;
  /** These are decided under the locks. Until it is told what was found, nothing is predicted of their wallets. */
  willLock(placements: readonly Placement[]): void;
  /** The wallets were locked with these heads and left like that. Of irregular ones nothing is predicted next. */
  found(before: Heads, after: PlacementState, irregular: ReadonlySet<string>): void;
  forget(placements: readonly Placement[]): void;
};

type Known = { head: WalletHead; fence: string | undefined; isQuiet: boolean };

const WALLETS_MAX = 10_000;

export function createKnownWallets(): KnownWallets {
  /** The time of the database was this at that time of the machine, or later. */
  let databaseTime = { atMs: 0, machineMs: 0 };
  /** The one that was locked last comes last. */
  const known = new Map<string, Known>();

  const remember = (key: string, head: WalletHead, fence: string | undefined, isQuiet: boolean): void => {
    const before = known.get(key);
    // The answer to an earlier batch can come later.
    if (before && before.head.sequence > head.sequence) return;
    known.delete(key);
    known.set(key, { head: { ...head, hash: ownBytes(head.hash) }, fence, isQuiet });
    for (const oldest of known.keys()) {
      if (known.size <= WALLETS_MAX) break;
      known.delete(oldest);
    }
  };

  return {
    predict(placements) {
      const atMs = databaseTime.atMs + (machineTimeMs() - databaseTime.machineMs);
      const revisions = placements.every(canBeConfirmed) ? revisionsOf(placements) : undefined;
      if (revisions === undefined) return undefined;
      const found = new Map<string, Known>();
      for (const placement of placements) {
        const key = walletKey(placement);
        const one = known.get(key);
        if (!one?.isQuiet || one.fence === undefined) return undefined;
        found.set(key, one);
      }
      for (const one of found.values()) one.isQuiet = false;
      return {
        wallets: new Map([...found].map(([key, { head }]) => [key, head])),
        fences: new Map([...found].map(([key, { fence }]) => [key, fence ?? ""])),
        atMs,
        bound: new Map(),
        living: new Set(placements.map(({ actor, resellerId }) => livingKey(actor, resellerId))),
        revisions,
        limits: new Map(),
      };
    },
    confirmed({ wallets, fences }, atMs) {
      databaseTime = { atMs, machineMs: machineTimeMs() };
      for (const [key, head] of wallets) remember(key, head, fences.get(key), true);
    },
    willLock(placements) {
      for (const placement of placements) {
        const one = known.get(walletKey(placement));
        if (one) one.isQuiet = false;
      }
    },
    found(before, { wallets, fences, atMs }, irregular) {
      databaseTime = { atMs, machineMs: machineTimeMs() };
      for (const [key, head] of wallets) {
        const left = known.get(key);
        const isAsLeft =
          left?.head.hash.equals(headOf(before, key).hash) === true && left.fence === fences.get(key);
        remember(key, head, fences.get(key), isAsLeft && !irregular.has(key));
      }
    },
    forget(placements) {
      for (const placement of placements) known.delete(walletKey(placement));
    },
  };
}

/** Only keys are confirmed. A price that is made under the locks, and what is in doubt, need this process while they are held. */
const canBeConfirmed = ({ actor, priceAgain, isInDoubt }: Placement): boolean =>
  actor.kind === "key" && priceAgain === undefined && isInDoubt !== true;

/** Undefined if placements of one reseller were priced at different revisions: not all of them can be right. */
function revisionsOf(placements: readonly Placement[]): Map<string, string> | undefined {
  const revisions = new Map<string, string>();
  for (const { resellerId, catalogRevision } of placements) {
    const other = revisions.get(resellerId);
    if (other !== undefined && other !== catalogRevision) return undefined;
    revisions.set(resellerId, catalogRevision);
  }
  return revisions;
}

function headOf(heads: Heads, key: string): WalletHead {
  const head = heads.get(key);
  if (!head) throw new Error("a wallet that was left was not found before");
  return head;
}

/** A buffer of its own: one from the pool would keep all of the pool in memory for as long as the wallet is known. */
function ownBytes(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

/**
 * The wallets of placements that were not as they would be predicted, and will not be next time: of keys with limits, and of frozen
 * resellers. That a key was bound, revoked or priced before the last change says nothing about the next placement.
 */
export const irregularWallets = (
  { limits, revisions }: PlacementState,
  placements: readonly Placement[],
): ReadonlySet<string> =>
  new Set(
    placements
      .filter(({ actor, resellerId }) => limits.has(actor.id) || revisions.get(resellerId) === FROZEN)
      .map(walletKey),
  );
