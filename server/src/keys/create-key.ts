import type { KeyObject } from "node:crypto";
import type { Db } from "../db/database.ts";
import { DEFAULT_SCOPES, SCOPES, type Tenant } from "../http/caller.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { parseIpRange } from "../lib/ip.ts";
import { assertPlainText } from "../lib/plain-text.ts";
import { digestKey, generateKey, keyPrefix } from "./key-format.ts";
import { insertKey } from "./queries.ts";

export type CreateKeyInput = Tenant & {
  name: string;
  scopes: readonly string[] | undefined;
  allowedIps: readonly string[];
  expiresAt: Date | undefined;
};

/** The one time that the key itself is at hand. */
export type CreatedKey = {
  id: string;
  key: string;
  prefix: string;
  lastFour: string;
  env: Tenant["environment"];
  scopes: readonly string[];
};

const ALLOWED_IPS_MAX = 200;

export async function createKey(
  deps: { db: Db; pepper: KeyObject; clock: Clock },
  input: CreateKeyInput,
): Promise<CreatedKey> {
  const scopes = input.scopes ?? DEFAULT_SCOPES;
  checkScopes(scopes);
  assertPlainText("a key's name", input.name);
  checkAllowedIps(input.allowedIps);
  const key = generateKey(input.environment);
  const now = deps.clock.now();
  const id = newId("key", now.getTime());
  const lastFour = key.slice(-4);
  await insertKey(deps.db, {
    ...input,
    id,
    scopes,
    lastFour,
    digest: digestKey(deps.pepper, key),
    expiresAt: input.expiresAt ?? null,
    now,
  });
  return { id, key, prefix: keyPrefix(input.environment), lastFour, env: input.environment, scopes };
}

function checkScopes(scopes: readonly string[]): void {
  const known: readonly string[] = SCOPES;
  const unknown = scopes.find((scope) => !known.includes(scope));
  if (unknown !== undefined)
    throw new RangeError(`"${unknown}" is not a scope; the scopes are ${SCOPES.join(", ")}`);
  if (scopes.length === 0) throw new RangeError(`a key needs at least one scope of ${SCOPES.join(", ")}`);
}

function checkAllowedIps(ranges: readonly string[]): void {
  const bad = ranges.find((range) => parseIpRange(range) === undefined);
  if (bad !== undefined) throw new RangeError(`"${bad}" is neither an IP address nor a CIDR range`);
  if (ranges.length > ALLOWED_IPS_MAX)
    throw new RangeError(`a key's allowlist holds at most ${ALLOWED_IPS_MAX} entries`);
}
