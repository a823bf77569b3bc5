import type { Actor } from "../lib/actor.ts";
import { type Also, addKey, type CreatedKey, type KeyDeps } from "./create-key.ts";
import { emitKeyRevoked } from "./key-events.ts";
import { type KeyRow, lockKey, setKeyEnd } from "./queries.ts";

export const GRACE_MAX_HOURS = 72;
const HOUR_MS = 3_600_000;

export type RollKeyInput = {
  id: string;
  /** How long the old key still works: 0 to 72 hours. */
  graceMs: number;
  creator: Actor;
};

/** The new key, and when the old one ends. */
export type RolledKey = CreatedKey & { replaces: string; oldKeyEndsAt: Date };

/**
 * Replaces a key by a new one with the same name, scopes, allowlist, limits and expiry. The new key works at once and has spent
 * nothing. The old one ends after the grace period, or when it would have expired anyway; without a grace period it is revoked.
 */
export function rollKey(
  deps: KeyDeps,
  { id, graceMs, creator }: RollKeyInput,
  also?: Also<RolledKey & { old: KeyRow }>,
): Promise<RolledKey> {
  if (!(graceMs >= 0 && graceMs <= GRACE_MAX_HOURS * HOUR_MS))
    throw new RangeError(`the grace period must be 0 to ${GRACE_MAX_HOURS} hours`);
  return deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    const old = await lockKey(tx, id);
    if (!old) throw new RangeError(`there is no key ${id}`);
    refuseDead(old, now);
    const created = await addKey(tx, deps, { ...old, creator, replacesId: old.id });
    const oldKeyEndsAt = earlier(old.expiresAt, new Date(now.getTime() + graceMs));
    await setKeyEnd(tx, old.id, {
      expiresAt: graceMs === 0 ? old.expiresAt : oldKeyEndsAt,
      revokedAt: graceMs === 0 ? now : null,
    });
    if (graceMs === 0) await emitKeyRevoked(tx, deps.clock, old);
    const rolled = { ...created, replaces: old.id, oldKeyEndsAt };
    await also?.(tx, { ...rolled, old });
    return rolled;
  });
}

function refuseDead(key: KeyRow, now: Date): void {
  if (key.replacedById !== null)
    throw new RangeError(`key ${key.id} was already rolled; ${key.replacedById} replaces it`);
  if (key.revokedAt) throw new RangeError(`key ${key.id} is revoked; create a new key instead`);
  if (key.expiresAt && key.expiresAt <= now)
    throw new RangeError(`key ${key.id} has expired; create a new key instead`);
}

const earlier = (one: Date | null, other: Date): Date => (one && one < other ? one : other);
