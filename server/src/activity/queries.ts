import sql, { empty, join, type Sql } from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { Actor, ActorKind } from "../lib/actor.ts";

/** What is worth knowing of an object before or after a change. Never a secret. */
export type Summary = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

export type ActivityRow = {
  id: string;
  at: Date;
  actorKind: ActorKind;
  actorId: string;
  address: string | null;
  action: string;
  objectKind: string;
  objectId: string;
  resellerId: string | null;
  environment: Tenant["environment"] | null;
  before: Summary | null;
  after: Summary | null;
};

export type NewActivityRow = {
  id: string;
  at: Date;
  actor: Actor;
  address: string | null;
  action: string;
  object: { kind: string; id: string };
  resellerId: string | null;
  environment: Tenant["environment"] | null;
  before: string | null;
  after: string | null;
};

export const insertActivity = (tx: Tx, row: NewActivityRow) =>
  tx.rows(sql`
    insert into activity (id, at, actor_kind, actor_id, address, action, object_kind, object_id, reseller_id,
                          environment, before, after)
    values (${row.id}, ${row.at}, ${row.actor.kind}, ${row.actor.id}, ${row.address}, ${row.action},
            ${row.object.kind}, ${row.object.id}, ${row.resellerId}, ${row.environment}, ${row.before}::jsonb,
            ${row.after}::jsonb)`);

export type ActivityQuery = {
  resellerId: string | undefined;
  environment: Tenant["environment"] | undefined;
  actorKind: ActorKind | undefined;
  actorId: string | undefined;
  action: string | undefined;
  object: { kind?: string | undefined; id: string } | undefined;
  /** Ids are made of times: a range of times is a range of ids. */
  fromId: string | undefined;
  beforeId: string | undefined;
  limit: number;
};

/** Newest first. Only the conditions that are asked for are in the statement, so that each finds its index. */
export const listActivityRows = (db: Queryable, query: ActivityQuery) => {
  const conditions = [
    given(query.resellerId, (id) => sql`reseller_id = ${id}`),
    // What concerns neither environment, such as a change of people, belongs to both.
    given(query.environment, (environment) => sql`(environment = ${environment} or environment is null)`),
    given(query.actorKind, (kind) => sql`actor_kind = ${kind}`),
    given(query.actorId, (id) => sql`actor_id = ${id}`),
    given(query.action, (action) => sql`action = ${action}`),
    given(query.object, ({ id }) => sql`object_id = ${id}`),
    given(query.object?.kind, (kind) => sql`object_kind = ${kind}`),
    given(query.fromId, (id) => sql`id >= ${id}`),
    given(query.beforeId, (id) => sql`id < ${id}`),
  ].filter((condition) => condition !== undefined);
  return db.rows<ActivityRow>(sql`
    select id, at, actor_kind as "actorKind", actor_id as "actorId", address, action, object_kind as "objectKind",
           object_id as "objectId", reseller_id as "resellerId", environment, before, after
    from activity ${conditions.length === 0 ? empty : sql`where ${join(conditions, " and ")}`}
    order by id desc limit ${query.limit}`);
};

const given = <Value>(value: Value | undefined, condition: (value: Value) => Sql): Sql | undefined =>
  value === undefined ? undefined : condition(value);
