import sql, { raw, type Sql } from "sql-template-tag";
import { missingIndexes } from "../db/guards.ts";
import type { Extent } from "./extent.ts";
import type { Invariant } from "./invariant.ts";
import { attemptName, sameUnit, unitName } from "./unit-name.ts";

const UNIQUE_INDEXES = [
  `create unique index supplier_attempts_one_bought on supplier_attempts
     using btree (order_id, line_index, unit_index) where (status = any (array['delivered', 'quarantined'])) and not_made_at is null`,
];

export const purchasesAreAccountedFor: Invariant = {
  number: 9,
  name: "every purchase from a supplier was delivered, is in quarantine, is still unknown or counts as not made",
  count: ({ attempts }) => sql`select count(*) as count from ${attempts} a where status <> 'refused'`,
  violations: (extent) => sql`
    ${attemptsOutOfTurn(extent)}
    union all ${attemptsAndUnitsDiffer(extent)}
    union all ${attemptsAndCodesDiffer(extent)}
    union all ${severalInQuarantine(extent)}
    union all ${missingIndexes(UNIQUE_INDEXES)}`,
};

/**
 * The next supplier is asked only after the previous one has refused, or its purchase counts as not made, so only the last attempt for
 * a unit can have another status. A gap in the numbers is a lost purchase.
 */
function attemptsOutOfTurn({ attempts }: Extent): Sql {
  return sql`
    select ${unitName("a")} || ': ' ||
      case when a.attempts <> a.last_number then 'an attempt is missing'
        else 'an attempt was followed by another before it was refused' end as violation
    from (
      select order_id, line_index, unit_index, count(*) as attempts, max(number) as last_number,
        min(number) filter (where status <> 'refused' and not_made_at is null) as first_not_refused
      from ${attempts} a group by order_id, line_index, unit_index
    ) a
    where a.attempts <> a.last_number or a.first_not_refused < a.last_number`;
}

/**
 * What an attempt implies about its unit. While the outcome is unknown, the unit is waiting or the operator has
 * written it off; a written-off unit is never delivered. A unit goes on without an attempt that counts as not made.
 */
function attemptsAndUnitsDiffer({ lines, units, attempts }: Extent): Sql {
  return sql`
    select ${attemptName("a")} || ' is ' || a.status ||
      case when a.written_off_at is not null then ' and written off' else '' end ||
      case when u.order_id is null then ', but there is no such unit'
        when a.product_id <> l.product_id then ' but for a different product than its line'
        else ', but its unit is ' || u.status end
    from ${attempts} a
    left join ${units} u on ${sameUnit("u", "a")}
    left join ${lines} l on l.order_id = a.order_id and l.line_index = a.line_index
    where u.order_id is null
      or a.product_id <> l.product_id
      or (a.written_off_at is not null and a.not_made_at is null and u.failure_code is null)
      or (a.written_off_at is null and a.status = 'open' and u.status <> 'waiting')
      or (a.status = 'delivered' and u.delivered_at is null)
      or (a.status = 'quarantined' and a.not_made_at is null and u.failure_code is null)`;
}

/**
 * One to one by unit, supplier and product: every purchase has a code, and every code has a purchase. A unit is bought once at each
 * supplier. Where a person entered the code, the supplier's own may be in quarantine beside it.
 */
function attemptsAndCodesDiffer({ attempts, codes }: Extent): Sql {
  return sql`
    select case when c.id is null then ${attemptName("a")} || ' is ' || a.status || ' but has no matching code'
        when a.order_id is null then 'code ' || c.id || ' is ' || c.state || ' but has no matching attempt'
        when c.quarantine_reason = 'late' and a.written_off_at is null
          then 'code ' || c.id || ' is late but was not written off'
        else ${attemptName("a")} || ' and code ' || c.id || ' differ in product' end
    from (
      select order_id, line_index, unit_index, number, supplier_id, product_id, status, written_off_at
      from ${attempts} t where status in ('delivered', 'quarantined')
    ) a
    full join (
      select id, order_id, line_index, unit_index, supplier_id, product_id, state, quarantine_reason
      from ${codes} t
      where environment = 'live' and (state = 'delivered' or state = 'quarantined') and not (
        ${isBesideEntered("t")})
    ) c on ${sameUnit("c", "a")} and c.state = a.status and c.supplier_id = a.supplier_id
    where a.order_id is null or c.id is null
      or c.product_id <> a.product_id
      or (c.quarantine_reason = 'late' and a.written_off_at is null)`;
}

/** The supplier's own code beside one that a person entered, which is in quarantine itself if its order was taken back. */
const isBesideEntered = (code: string): Sql => sql`
  ${raw(code)}.state = 'quarantined' and ${raw(code)}.quarantine_reason <> 'incomplete' and exists (
    select from supplier_attempts h
    where h.by_hand and ${sameUnit("h", code)} and h.supplier_id = ${raw(code)}.supplier_id)`;

/** A unit is bought once at each supplier, so at most one undeliverable code arrived for it. */
function severalInQuarantine({ codes }: Extent): Sql {
  return sql`
    select ${unitName("c")} || ' has ' || count(*) || ' codes in quarantine'
    from ${codes} c
    where c.state = 'quarantined'
    group by c.order_id, c.line_index, c.unit_index, c.supplier_id, (${isBesideEntered("c")}) having count(*) > 1`;
}
