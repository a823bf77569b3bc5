import type { KeyObject } from "node:crypto";
import type { Db } from "../db/database.ts";
import type { Caller } from "../http/caller.ts";
import { createBatcher } from "../lib/batch.ts";
import type { Clock } from "../lib/clock.ts";
import { type IpRange, parseIpRange } from "../lib/ip.ts";
import { digestKey, isWellFormedKey } from "./key-format.ts";
import { findLivingKeys, type LivingKeyRow } from "./queries.ts";

export type Authenticated = { caller: Caller; lastUsedAt: Date | null };
export type Authenticate = (key: string) => Promise<Authenticated | undefined>;

const LOOKUPS_PER_STATEMENT = 512;
/** With several, one batch gathers while another is queried. More would only make each of them smaller. */
const STATEMENTS_AT_ONCE = 4;

/**
 * Finds the owner of a key. Each request uses a read that started after the request did, so a revocation takes
 * effect immediately. Concurrent requests share a read, so it costs little.
 */
export function createAuthenticate(db: Db, pepper: KeyObject, clock: Clock): Authenticate {
  return createBatcher<string, Authenticated | undefined>({
    maxSize: LOOKUPS_PER_STATEMENT,
    maxRunning: STATEMENTS_AT_ONCE,
    run: async (keys) => {
      // A busy key appears many times in one batch and is digested once. Junk is rejected by its checksum without a
      // query.
      const wellFormed = [...new Set(keys)].filter(isWellFormedKey);
      if (wellFormed.length === 0) return keys.map(() => undefined);
      const digests = new Map(wellFormed.map((key) => [key, digestKey(pepper, key)]));
      const rows = await findLivingKeys(db, [...digests.values()], clock.now());
      const byDigest = new Map(rows.map((row) => [row.digest.toString("latin1"), toAuthenticated(row)]));
      const byKey = new Map(
        wellFormed.map((key) => [key, byDigest.get(digests.get(key)?.toString("latin1") ?? "")]),
      );
      return keys.map((key) => byKey.get(key));
    },
  });
}

/** The requests of a batch share what was read for their key. */
const toAuthenticated = (row: LivingKeyRow): Authenticated => ({
  caller: toCaller(row),
  lastUsedAt: row.lastUsedAtMs === null ? null : new Date(row.lastUsedAtMs),
});

function toCaller(row: LivingKeyRow): Caller {
  return {
    actor: { kind: "key", id: row.id },
    resellerId: row.resellerId,
    environment: row.environment,
    scopes: row.scopes,
    allowedIps: toRanges(row.allowedIps),
    rateLimits: { orders: row.rateLimitOrders ?? undefined, reads: row.rateLimitReads ?? undefined },
    catalogRevision: row.catalogRevision,
  };
}

const NO_RANGES: readonly IpRange[] = [];

function toRanges(texts: readonly string[]): readonly IpRange[] {
  if (texts.length === 0) return NO_RANGES;
  // An invalid range allows nothing. It must not turn into "any address" by disappearing from the list.
  return texts.map((text) => parseIpRange(text) ?? NOWHERE);
}

/** Matches no address: no address has zero bytes. */
const NOWHERE: IpRange = { network: new Uint8Array(0), prefixBits: 0 };
