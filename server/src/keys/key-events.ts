import type { Tx } from "../db/database.ts";
import { emitEvents } from "../events/emit-events.ts";
import type { Tenant } from "../http/caller.ts";
import type { Clock } from "../lib/clock.ts";
import { idsOf } from "../lib/ids.ts";
import { keyPrefix } from "./key-format.ts";

type TenantKey = Tenant & { id: string; lastFour: string };

/** Tells the reseller's endpoints of a new key, in the transaction that stores it. A key is created once. */
export const emitKeyCreated = (
  tx: Tx,
  clock: Clock,
  key: TenantKey & { replacesId: string | null },
): Promise<string[]> => {
  const replaced = key.replacesId === null ? {} : { replaces_key_id: key.replacesId };
  const event = { ...aboutKey(key), type: "key.created", cause: "created" } as const;
  return emitEvents(tx, [{ ...event, data: { ...dataOf(key), ...replaced } }], idsOf(clock), clock.now());
};

/** A revocation is final, so it has one event too. */
export const emitKeyRevoked = (tx: Tx, clock: Clock, key: TenantKey): Promise<string[]> => {
  const event = { ...aboutKey(key), type: "key.revoked", cause: "revoked" } as const;
  return emitEvents(tx, [{ ...event, data: dataOf(key) }], idsOf(clock), clock.now());
};

const aboutKey = ({ id, resellerId, environment }: TenantKey) => ({
  resellerId,
  environment,
  subject: { kind: "key", id } as const,
});

const dataOf = ({ id, environment, lastFour }: TenantKey) => ({
  key_id: id,
  key_hint: `${keyPrefix(environment)}…${lastFour}`,
});
