import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { ActorKind } from "../lib/actor.ts";
import { firstIdAt } from "../lib/ids.ts";
import { hideStaffIn } from "./hide-staff.ts";
import { type ActivityRow, listActivityRows, type Summary } from "./queries.ts";

/** Whose log is read: staff see everything, a reseller sees its own. */
export type ActivityReader = { kind: "staff" } | { kind: "reseller"; resellerId: string };

export type ActivityFilter = {
  /** For staff: one reseller's rows. A reseller has no choice. */
  resellerId?: string | undefined;
  environment?: Tenant["environment"] | undefined;
  actor?: { kind: ActorKind; id?: string | undefined } | undefined;
  action?: string | undefined;
  /** By its id alone where the kind is left out. */
  object?: { kind?: string | undefined; id: string } | undefined;
  /** Inclusive. */
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
};

export type ActivityEntry = {
  id: string;
  at: Date;
  /** A reseller learns that the operator did something, and not which person of the staff. */
  actor: { kind: ActorKind; id?: string };
  address?: string;
  action: string;
  object: { kind: string; id: string };
  resellerId?: string;
  environment?: Tenant["environment"];
  before?: Summary;
  after?: Summary;
};

export type ActivityPage = { data: ActivityEntry[]; hasMore: boolean; nextAfter: string | undefined };

export const ACTIVITY_PAGE_MAX = 500;

/** Newest first. `after` is `nextAfter` of the page before. */
export async function listActivity(
  db: Queryable,
  reader: ActivityReader,
  filter: ActivityFilter,
  page: { limit: number; after?: string | undefined },
): Promise<ActivityPage> {
  const limit = Math.min(Math.max(page.limit, 1), ACTIVITY_PAGE_MAX);
  // An id that is hidden from a reseller is not found by asking for it either.
  if (reader.kind === "reseller" && filter.actor?.id !== undefined && isOperator(filter.actor.kind))
    return { data: [], hasMore: false, nextAfter: undefined };
  const rows = await listActivityRows(db, {
    resellerId: reader.kind === "reseller" ? reader.resellerId : filter.resellerId,
    environment: filter.environment,
    actorKind: filter.actor?.kind,
    actorId: filter.actor?.id,
    action: filter.action,
    object: filter.object,
    fromId: filter.from && firstIdAt("act", filter.from.getTime()),
    beforeId: earlier(page.after, filter.to && firstIdAt("act", filter.to.getTime())),
    limit: limit + 1,
  });
  const data = rows.slice(0, limit).map((row) => toEntry(row, reader));
  const hasMore = rows.length > limit;
  return { data, hasMore, nextAfter: hasMore ? data.at(-1)?.id : undefined };
}

const earlier = (one: string | undefined, other: string | undefined): string | undefined =>
  one !== undefined && other !== undefined && other < one ? other : (one ?? other);

const isOperator = (kind: ActorKind): boolean => kind === "staff" || kind === "command" || kind === "system";

function toEntry(row: ActivityRow, reader: ActivityReader): ActivityEntry {
  const isHidden = reader.kind === "reseller" && isOperator(row.actorKind);
  return {
    id: row.id,
    at: row.at,
    actor: { kind: row.actorKind, ...(isHidden ? {} : { id: row.actorId }) },
    ...(row.address === null || isHidden ? {} : { address: row.address }),
    action: row.action,
    object: { kind: row.objectKind, id: row.objectId },
    ...(row.resellerId === null ? {} : { resellerId: row.resellerId }),
    ...(row.environment === null ? {} : { environment: row.environment }),
    ...(row.before === null ? {} : { before: shownTo(reader, row.before) }),
    ...(row.after === null
      ? {}
      : { after: shownTo(reader, isHidden ? withoutStaffNote(row.after) : row.after) }),
  };
}

/** Older rows name in their note who proposed and approved a movement. */
const shownTo = (reader: ActivityReader, summary: Summary): Summary =>
  reader.kind === "reseller" && typeof summary.note === "string"
    ? { ...summary, note: hideStaffIn(summary.note) }
    : summary;

/** What staff wrote for each other may name a supplier. */
const withoutStaffNote = ({ staffNote: _hidden, ...shown }: Summary): Summary => shown;
