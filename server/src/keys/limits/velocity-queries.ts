import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";

/**
 * The usual hour of each key with a velocity limit: the mean of the hours in which it spent anything, since a time and before the
 * current hour. A key with fewer such hours keeps what it has: none, or what it got from the key that it replaces.
 */
export const updateUsualHours = (db: Queryable, since: Date, now: Date, hoursMin: number) =>
  db.rows(sql`
    update api_keys k set usual_hour_minor = learnt.usual
    from (select id from api_keys where velocity_times is not null order by id for update skip locked) watched
    join (
      select key_id, (sum(spent_minor) / count(*))::bigint as usual from key_spending
      where hour >= ${since} and hour < date_trunc('hour', ${now}::timestamptz, 'UTC') and spent_minor > 0
        and key_id in (select id from api_keys where velocity_times is not null)
      group by key_id having count(*) >= ${hoursMin}
    ) learnt on learnt.key_id = watched.id
    where k.id = watched.id and k.usual_hour_minor is distinct from learnt.usual`);

export type FrozenKey = Tenant & {
  id: string;
  name: string;
  lastFour: string;
  frozenAt: Date;
  email: string;
};

/** A frozen key whose owner does not know yet. One that another process tells is skipped. */
export const lockUntoldFreeze = async (tx: Tx): Promise<FrozenKey | undefined> => {
  const [row] = await tx.rows<FrozenKey>(sql`
    select k.id, k.reseller_id as "resellerId", k.environment, k.name, k.last_four as "lastFour", k.frozen_at as "frozenAt",
           r.email
    from api_keys k join resellers r on r.id = k.reseller_id
    where k.frozen_at is not null and k.frozen_told_at is null
    order by k.frozen_at limit 1
    for update of k skip locked`);
  return row;
};

export const markFreezeTold = (tx: Tx, id: string, now: Date) =>
  tx.rows(sql`update api_keys set frozen_told_at = ${now} where id = ${id}`);

/** Until `freezeFrom`, nothing freezes the key again. */
export const clearFreeze = (tx: Tx, id: string, freezeFrom: Date) =>
  tx.rows(sql`
    update api_keys set frozen_at = null, frozen_told_at = null, freeze_from = ${freezeFrom} where id = ${id}`);

export const deleteOldCounts = (db: Queryable, before: Date) =>
  db.rows(sql`delete from key_spending where hour < ${before}`);
