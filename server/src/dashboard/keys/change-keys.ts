import type { KeyNews } from "../../accounts/letters/letters.ts";
import { tellOwnersOfKey } from "../../accounts/people/tell-owners.ts";
import { Refusal } from "../../accounts/refusal.ts";
import { requireFreshProof } from "../../accounts/sessions/session-life.ts";
import type { Tx } from "../../db/database.ts";
import { changeKey, type KeyChanges } from "../../keys/change-key.ts";
import { type CreatedKey, type CreateKeyInput, createKey } from "../../keys/create-key.ts";
import { type KeyActivity, keySummary, recordOnKey } from "../../keys/key-activity.ts";
import { type Limits, NO_LIMITS } from "../../keys/limits/read-limits.ts";
import { unfreezeKey } from "../../keys/limits/unfreeze-key.ts";
import { getKey } from "../../keys/list-keys.ts";
import type { KeyRow } from "../../keys/queries.ts";
import { revokeKey } from "../../keys/revoke-key.ts";
import { type RolledKey, rollKey } from "../../keys/roll-key.ts";
import { Problem } from "../../lib/problem.ts";
import { actorOf, type DashboardContext, type DashboardDeps, tenantOf } from "../session.ts";
import { limitFieldOf } from "./key-limits.ts";
import { hintOf } from "./render-keys.ts";

type Context = { deps: DashboardDeps; ctx: DashboardContext };
type Access = Pick<KeyRow, "scopes" | "allowedIps">;
type NewKey = Pick<CreateKeyInput, "name" | "scopes" | "allowedIps" | "expiresAt" | "limits">;

/**
 * A new key of the page's environment: logged, and told to the owners. Here and below proof is asked for last, in the transaction: what
 * would be refused in any case is refused first.
 */
export const createKeyHere = ({ deps, ctx }: Context, input: NewKey): Promise<CreatedKey> =>
  explained(async () => {
    const creator = actorOf(ctx);
    return createKey(keyDeps(deps), { ...tenantOf(ctx), ...input, creator }, async (tx, key) => {
      requireProofForLive(ctx);
      const after = { lastFour: key.lastFour, ...keySummary(await getKey(tx, tenantOf(ctx), key.id)) };
      await log(deps, ctx, tx, { action: "key.created", id: key.id, after });
      await tell(deps, ctx, tx, hintOfNew(key), { name: input.name, change: "created" });
    });
  });

/** Replaces a key. It was read for this tenant before. */
export const rollKeyHere = ({ deps, ctx }: Context, old: KeyRow, graceMs: number): Promise<RolledKey> =>
  explained(async () => {
    const input = { id: old.id, graceMs, creator: actorOf(ctx) };
    return rollKey(keyDeps(deps), input, async (tx, key) => {
      requireProofForLive(ctx);
      const after = { replacedBy: key.id, endsAt: key.oldKeyEndsAt.toISOString() };
      await log(deps, ctx, tx, { action: "key.rolled", id: old.id, after });
      await tell(deps, ctx, tx, hintOfNew(key), { name: old.name, change: "rolled" });
    });
  });

/** Judged on the locked key, so that what somebody else changes meanwhile is no way around the proof. */
export const changeKeyHere = ({ deps, ctx }: Context, key: KeyRow, changes: KeyChanges) =>
  explained(() =>
    changeKey(deps, key.id, changes, async (tx, { before, after }) => {
      const isWidened = isWider(before, after);
      // A stranger at an unlocked screen must not lift a limit, nor make use of a key that they have stolen.
      if (isWidened || isOtherLimit(before, after)) requireProofForLive(ctx);
      await log(deps, ctx, tx, {
        action: "key.changed",
        id: key.id,
        before: keySummary(before),
        after: keySummary(after),
      });
      if (isWidened) await tell(deps, ctx, tx, hintOf(after), { name: after.name, change: "widened" });
    }),
  );

const isOtherLimit = (before: Limits, after: Limits): boolean =>
  LIMIT_NAMES.some((name) => before[name] !== after[name]);

const LIMIT_NAMES = Object.keys(NO_LIMITS) as (keyof Limits)[];

/** Whether a key may do more, or may be used from other addresses. No addresses are any address. */
function isWider(before: Access, after: Access): boolean {
  const gains = (name: keyof Access) => after[name].some((one) => !before[name].includes(one));
  const isOpened = before.allowedIps.length > 0 && (after.allowedIps.length === 0 || gains("allowedIps"));
  return gains("scopes") || isOpened;
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
  hint: string,
  about: Pick<KeyNews, "name" | "change">,
): Promise<void> =>
  tellOwnersOfKey(deps.accounts, tx, ctx.session.account.team, {
    ...about,
    hint,
    by: ctx.session.account.email,
    at: deps.clock.now(),
  });

const hintOfNew = ({ prefix, lastFour }: CreatedKey): string => `${prefix}…${lastFour}`;

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
