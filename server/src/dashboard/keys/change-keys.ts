import { tellOwnersOfKey } from "../../accounts/people/tell-owners.ts";
import { Refusal } from "../../accounts/refusal.ts";
import { requireFreshProof } from "../../accounts/sessions/session-life.ts";
import type { Tx } from "../../db/database.ts";
import { changeKey, type KeyChanges } from "../../keys/change-key.ts";
import { type CreatedKey, type CreateKeyInput, createKey } from "../../keys/create-key.ts";
import { type KeyActivity, keySummary, recordOnKey } from "../../keys/key-activity.ts";
import { type LimitChanges, type Limits, readLimits } from "../../keys/limits/read-limits.ts";
import { unfreezeKey } from "../../keys/limits/unfreeze-key.ts";
import { getKey } from "../../keys/list-keys.ts";
import type { KeyRow } from "../../keys/queries.ts";
import { revokeKey } from "../../keys/revoke-key.ts";
import { type RolledKey, rollKey } from "../../keys/roll-key.ts";
import { Problem } from "../../lib/problem.ts";
import { actorOf, type DashboardContext, type DashboardDeps, tenantOf } from "../session.ts";
import { limitFieldOf } from "./key-limits.ts";

type Context = { deps: DashboardDeps; ctx: DashboardContext };
type NewKey = Pick<CreateKeyInput, "name" | "scopes" | "allowedIps" | "expiresAt" | "limits">;

/** A new key of the page's environment: logged, and told to the owners. */
export const createKeyHere = ({ deps, ctx }: Context, input: NewKey): Promise<CreatedKey> =>
  explained(async () => {
    requireProofForLive(ctx);
    const creator = actorOf(ctx);
    return createKey(keyDeps(deps), { ...tenantOf(ctx), ...input, creator }, async (tx, key) => {
      const after = { lastFour: key.lastFour, ...keySummary(await getKey(tx, tenantOf(ctx), key.id)) };
      await log(deps, ctx, tx, { action: "key.created", id: key.id, after });
      await tell(deps, ctx, tx, key, { name: input.name, change: "created" });
    });
  });

/** Replaces a key. It was read for this tenant before. */
export const rollKeyHere = ({ deps, ctx }: Context, old: KeyRow, graceMs: number): Promise<RolledKey> =>
  explained(async () => {
    requireProofForLive(ctx);
    const input = { id: old.id, graceMs, creator: actorOf(ctx) };
    return rollKey(keyDeps(deps), input, async (tx, key) => {
      const after = { replacedBy: key.id, endsAt: key.oldKeyEndsAt.toISOString() };
      await log(deps, ctx, tx, { action: "key.rolled", id: old.id, after });
      await tell(deps, ctx, tx, key, { name: old.name, change: "rolled" });
    });
  });

export const changeKeyHere = ({ deps, ctx }: Context, key: KeyRow, changes: KeyChanges) =>
  explained(async () => {
    // A stranger at an unlocked screen must not lift a limit.
    if (isOtherLimit(key, changes.limits ?? {})) requireProofForLive(ctx);
    return changeKey(deps, key.id, changes, (tx, { before, after }) =>
      log(deps, ctx, tx, {
        action: "key.changed",
        id: key.id,
        before: keySummary(before),
        after: keySummary(after),
      }),
    );
  });

function isOtherLimit(key: KeyRow, changes: LimitChanges): boolean {
  const after = readLimits(key, changes, key.currency);
  return Object.entries(after).some(([name, value]) => key[name as keyof Limits] !== value);
}

/** Unfreezing spends money if the key has leaked, so it takes fresh proof too. */
export const unfreezeKeyHere = ({ deps, ctx }: Context, key: KeyRow) =>
  explained(async () => {
    requireProofForLive(ctx);
    return unfreezeKey(deps, key.id, (tx, { frozenAt }) =>
      log(deps, ctx, tx, {
        action: "key.unfrozen",
        id: key.id,
        before: { frozenAt: frozenAt?.toISOString() ?? null },
      }),
    );
  });

export const revokeKeyHere = ({ deps, ctx }: Context, key: KeyRow) =>
  explained(() =>
    revokeKey(deps.db, deps.clock, key.id, (tx) =>
      log(deps, ctx, tx, {
        action: "key.revoked",
        id: key.id,
        before: { name: key.name, lastFour: key.lastFour },
      }),
    ),
  );

const keyDeps = ({ db, clock, secrets }: DashboardDeps) => ({ db, clock, pepper: secrets.pepper });

function requireProofForLive(ctx: DashboardContext): void {
  if (tenantOf(ctx).environment === "live") requireFreshProof(ctx.session.account, ctx.now);
}

const log = (deps: DashboardDeps, ctx: DashboardContext, tx: Tx, activity: KeyActivity): Promise<void> =>
  recordOnKey(tx, deps.clock, tenantOf(ctx), { actor: actorOf(ctx), address: ctx.address }, activity);

const tell = (
  deps: DashboardDeps,
  ctx: DashboardContext,
  tx: Tx,
  key: CreatedKey,
  about: { name: string; change: "created" | "rolled" },
): Promise<void> =>
  tellOwnersOfKey(deps.accounts, tx, ctx.session.account.team, {
    ...about,
    hint: `${key.prefix}…${key.lastFour}`,
    by: ctx.session.account.email,
    at: deps.clock.now(),
  });

/** What the verbs of keys refuse, as a sentence at the field it is about. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RangeError) || error instanceof Refusal) throw error;
    const detail = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`;
    const pointer = /IP address|allowlist/.test(detail) ? "/allowedIps" : limitFieldOf(detail);
    throw new Problem("invalid_request", detail, {
      errors: pointer === undefined ? [] : [{ pointer, code: "invalid_request", detail }],
    });
  }
}
