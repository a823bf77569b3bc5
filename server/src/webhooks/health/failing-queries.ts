import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";

/** The letters that an owner gets about an endpoint whose deliveries all fail. */
export type Told = "24h" | "72h" | "disabled";

export type FailingEndpoint = {
  id: string;
  resellerId: string;
  environment: "live" | "test";
  url: string;
  failingSince: Date;
  failures: number;
  told: Told;
};

export type FailingThresholds = {
  /** Failing since this time or longer. */
  sinceFirst: Date;
  sinceSecond: Date;
  sinceDisabled: Date;
  failuresToDisable: number;
  /** A delivery that was due before this time and never tried is our own fault. */
  owedBefore: Date;
};

/**
 * The next endpoint whose owner must get a letter, and the latest letter that is due. An endpoint that another worker has
 * locked is skipped until the next time. So is one whose deliveries have been due for long: after an outage of ours, it is
 * tried before it is judged.
 */
export const lockNextFailing = async (
  tx: Tx,
  at: FailingThresholds,
): Promise<FailingEndpoint | undefined> => {
  const [row] = await tx.rows<FailingEndpoint>(sql`
    select e.id, e.reseller_id as "resellerId", e.environment, e.url, e.failing_since as "failingSince",
           e.failures, due.told
    from webhook_endpoints e
    cross join lateral (
      select case
        when e.failing_since <= ${at.sinceDisabled} and e.failures >= ${at.failuresToDisable} then 'disabled'
        when e.failing_since <= ${at.sinceSecond} and e.notified in ('nothing', '24h') then '72h'
        when e.failing_since <= ${at.sinceFirst} and e.notified = 'nothing' then '24h'
      end as told
    ) due
    where e.active and e.failing_since is not null and e.failing_since <= ${at.sinceFirst} and due.told is not null
      and not (
        exists (
          select from deliveries d
          where d.status = 'pending' and d.endpoint_id = e.id and d.next_attempt_at <= ${at.owedBefore}
        ) and not exists (
          select from webhook_lanes l where l.endpoint_id = e.id and l.leased_until > ${at.owedBefore}
        )
      )
    order by e.failing_since limit 1
    for no key update of e skip locked`);
  return row;
};

export const markTold = (tx: Tx, { id, told }: FailingEndpoint, now: Date) =>
  tx.rows(sql`
    update webhook_endpoints
    set notified = ${told}, active = active and ${told} <> 'disabled',
        updated_at = case when ${told} = 'disabled' then ${now}::timestamptz else updated_at end
    where id = ${id}`);

/**
 * Ends waiting deliveries of endpoints that are disabled, switched off or removed. A recovery can restart them. A delivery
 * whose attempt is being recorded right now is left for the next time, because that transaction waits for the endpoint.
 */
export const failDeliveriesOfInactive = async (db: Queryable, limit: number): Promise<number> => {
  const rows = await db.rows(sql`
    update deliveries d set status = 'failed', next_attempt_at = null
    from (
      select waiting.id from webhook_endpoints e
      cross join lateral (
        select id from deliveries
        where status = 'pending' and endpoint_id = e.id
        limit ${limit}
        for update skip locked
      ) waiting
      where not e.active
      limit ${limit}
    ) ended
    where d.id = ended.id
    returning d.id`);
  return rows.length;
};
