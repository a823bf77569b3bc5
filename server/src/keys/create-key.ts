import type { KeyObject } from "node:crypto";
import type { Db, Tx } from "../db/database.ts";
import { DEFAULT_SCOPES, SCOPES, type Tenant } from "../http/caller.ts";
import type { Actor } from "../lib/actor.ts";
import type { Clock } from "../lib/clock.ts";
import { idsOf } from "../lib/ids.ts";
import { parseIpRange } from "../lib/ip.ts";
import { assertPlainText } from "../lib/plain-text.ts";
import { emitKeyCreated } from "./key-events.ts";
import { digestKey, generateKey, keyPrefix } from "./key-format.ts";
import { dayOf } from "./limits/change-limits.ts";
import { findCurrency } from "./limits/limit-queries.ts";
import { type LimitChanges, type Limits, NO_LIMITS, needsCount, readLimits } from "./limits/read-limits.ts";
import { insertKey, isFirstKey } from "./queries.ts";

export type CreateKeyInput = Tenant & {
  name: string;
  scopes: readonly string[] | undefined;
  allowedIps: readonly string[];
  expiresAt: Date | undefined;
  /** Who creates it; the command if nobody is named. */
  creator?: Actor;
  limits?: LimitChanges;
};

/** The only time that the key itself is available. */
export type CreatedKey = {
  id: string;
  key: string;
  prefix: string;
  lastFour: string;
  env: Tenant["environment"];
  scopes: readonly string[];
};

export type KeyDeps = { db: Db; pepper: KeyObject; clock: Clock };

const ALLOWED_IPS_MAX = 200;
const COMMAND: Actor = { kind: "command", id: "scrip key create" };

/** What else belongs into the transaction of a change, such as a row of the activity log. */
export type Also<Change> = (tx: Tx, change: Change) => Promise<void>;

export async function createKey(
  deps: KeyDeps,
  input: CreateKeyInput,
  also?: Also<CreatedKey>,
): Promise<CreatedKey> {
  const { creator = COMMAND, scopes = DEFAULT_SCOPES } = input;
  const checked = { name: input.name, scopes, allowedIps: input.allowedIps };
  checkKey(checked);
  const added = {
    ...input,
    ...checked,
    creator,
    expiresAt: input.expiresAt ?? null,
    replacesId: null,
    usualHourMinor: null,
  };
  return deps.db.transaction(async (tx) => {
    const limits = input.limits
      ? readLimits(NO_LIMITS, input.limits, await findCurrency(tx, input))
      : NO_LIMITS;
    const created = await addKey(tx, deps, { ...added, ...limits });
    await also?.(tx, created);
    return created;
  });
}

/** Its limits count from today: a new key has spent nothing. */
export type NewKeyInput = Tenant & {
  name: string;
  scopes: readonly string[];
  allowedIps: readonly string[];
  expiresAt: Date | null;
  creator: Actor;
  replacesId: string | null;
  usualHourMinor: bigint | null;
} & Limits;

/** Makes the key, stores its digest and tells the reseller's endpoints. */
export async function addKey(
  tx: Tx,
  { pepper, clock }: Pick<KeyDeps, "pepper" | "clock">,
  input: NewKeyInput,
): Promise<CreatedKey> {
  const key = generateKey(input.environment);
  const now = clock.now();
  const id = idsOf(clock)("key");
  const lastFour = key.slice(-4);
  const countedFrom = needsCount(input) ? dayOf(now) : null;
  const isFirst = await isFirstKey(tx, input);
  await insertKey(tx, { ...input, id, lastFour, digest: digestKey(pepper, key), now, countedFrom });
  // Nothing can listen before there is a key: a feed starts with what happens after the first one.
  if (!isFirst) await emitKeyCreated(tx, clock, { ...input, id, lastFour });
  const { environment: env, scopes } = input;
  return { id, key, prefix: keyPrefix(env), lastFour, env, scopes };
}

/** Throws a RangeError for what no key may have. */
export function checkKey(key: {
  name: string;
  scopes: readonly string[];
  allowedIps: readonly string[];
}): void {
  checkScopes(key.scopes);
  assertPlainText("a key's name", key.name);
  checkAllowedIps(key.allowedIps);
}

function checkScopes(scopes: readonly string[]): void {
  const known: readonly string[] = SCOPES;
  const unknown = scopes.find((scope) => !known.includes(scope));
  if (unknown !== undefined)
    throw new RangeError(`"${unknown}" is not a scope; the scopes are ${SCOPES.join(", ")}`);
  if (scopes.length === 0) throw new RangeError(`a key needs at least one scope out of ${SCOPES.join(", ")}`);
}

function checkAllowedIps(ranges: readonly string[]): void {
  const bad = ranges.find((range) => parseIpRange(range) === undefined);
  if (bad !== undefined) throw new RangeError(`"${bad}" is neither an IP address nor a CIDR range`);
  if (ranges.length > ALLOWED_IPS_MAX)
    throw new RangeError(`a key's allowlist can have at most ${ALLOWED_IPS_MAX} entries`);
}
