import type { Db } from "../../db/database.ts";
import { createBatcher } from "../../lib/batch.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Secret, secret } from "../../lib/secret.ts";
import { type Team, teamOf } from "../account-queries.ts";
import type { AccountKind, Face, Role } from "../permissions.ts";
import { digestCookie, isWellFormedCookie } from "./session-id.ts";
import { SEEN_EVERY_MS, sessionBounds } from "./session-life.ts";
import { findLivingSessions, type LivingSessionRow, markSessionSeen } from "./session-queries.ts";

/** Who is signed in: what the rows of the session and its account said when this request began. Never kept beyond it. */
export type Session = {
  id: string;
  /** What the browser holds. */
  cookie: Secret<string>;
  face: Face;
  provedAt: Date;
  accountId: string;
  kind: AccountKind;
  team: Team;
  email: string;
  name: string;
  role: Role;
  /** Whether a second factor is set up. */
  hasFactor: boolean;
  /** A factor is required and not set up: such a session may add one and sign out, nothing else. */
  mustAddFactor: boolean;
};

/** The session of a cookie on this face, seen from that address. */
export type FindSession = (face: Face, cookie: string, address: string) => Promise<Session | undefined>;

const LOOKUPS_PER_STATEMENT = 256;
const STATEMENTS_AT_ONCE = 4;
const ADDRESS_MAX_CHARACTERS = 45;

/**
 * Each request is answered by a read that began after the request did, so a session that was ended anywhere is refused from
 * the next request on. Requests that arrive together share that read.
 */
export function createFindSession(db: Db, clock: Clock): FindSession {
  const findRow = createBatcher<string, LivingSessionRow | undefined>({
    maxSize: LOOKUPS_PER_STATEMENT,
    maxRunning: STATEMENTS_AT_ONCE,
    run: async (cookies) => {
      const digests = new Map([...new Set(cookies)].map((cookie) => [cookie, digestCookie(cookie)]));
      const rows = await findLivingSessions(db, [...digests.values()], sessionBounds(clock.now()));
      const byDigest = new Map(rows.map((row) => [row.digest.toString("latin1"), row]));
      return cookies.map((cookie) => byDigest.get(digests.get(cookie)?.toString("latin1") ?? ""));
    },
  });

  return async (face, cookie, address) => {
    if (!isWellFormedCookie(cookie)) return undefined;
    const row = await findRow(cookie);
    // A session of the other face is none here.
    if (!row || row.face !== face) return undefined;
    const now = clock.now();
    const olderThan = new Date(now.getTime() - SEEN_EVERY_MS);
    if (row.lastSeenAt < olderThan)
      await markSessionSeen(db, row.id, {
        now,
        olderThan,
        address: address.slice(0, ADDRESS_MAX_CHARACTERS),
      });
    return toSession(row, cookie);
  };
}

const toSession = (row: LivingSessionRow, cookie: string): Session => ({
  id: row.id,
  cookie: secret(cookie),
  face: row.face,
  provedAt: row.provedAt,
  accountId: row.accountId,
  kind: row.kind,
  team: teamOf(row),
  email: row.email,
  name: row.name,
  role: row.role,
  hasFactor: row.hasFactor,
  mustAddFactor: row.factorRequired && !row.hasFactor,
});
