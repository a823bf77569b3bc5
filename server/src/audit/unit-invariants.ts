import sql, { type Sql } from "sql-template-tag";
import { missingIndexes } from "../db/guards.ts";
import type { Extent } from "./extent.ts";
import type { Invariant } from "./invariant.ts";
import { sameUnit, unitName } from "./unit-name.ts";

const UNIQUE_INDEXES = [
  `create unique index supplier_attempts_one_open on supplier_attempts
     using btree (order_id, line_index, unit_index) where status = 'open'`,
  `create unique index codes_one_for_each_unit on codes
     using btree (order_id, line_index, unit_index) where state = 'delivered'`,
  "create unique index codes_known on codes using btree (digest) where state <> 'quarantined'",
];

export const unitsEndOnce: Invariant = {
  number: 6,
  name: "a unit has at most one open attempt and one code, and ends delivered or refunded; a code has at most one unit",
  count: ({ units }) => sql`select count(*) as count from ${units} u`,
  violations: (extent) => sql`
    ${countsDiffer(extent)}
    union all ${linesDiffer(extent)}
    union all ${unitsWithoutLine(extent)}
    union all ${deliveredAndRefunded(extent)}
    union all ${severalOpenAttempts(extent)}
    union all ${severalCodes(extent)}
    union all ${unitsAndCodesDiffer(extent)}
    union all ${oneCodeTwice(extent)}
    union all ${missingIndexes(UNIQUE_INDEXES)}`,
};

function countsDiffer({ orders, units }: Extent): Sql {
  return sql`
    select 'order ' || o.id || ' says ' || coalesce(o.open_units::text, '?') || ' open units but has ' ||
      coalesce(u.waiting, 0) as violation
    from ${orders} o
    left join (
      select order_id, count(*) as waiting from ${units} t where status = 'waiting' group by order_id
    ) u on u.order_id = o.id
    where o.status <> 'pending' and o.open_units is distinct from coalesce(u.waiting, 0)`;
}

/** An order's units are created when a worker first takes it, one for each unit bought. */
function linesDiffer({ orders, lines, units }: Extent): Sql {
  return sql`
    select 'line ' || l.line_index || ' of ' || l.order_id || ': ' ||
      case when o.status <> 'pending' and l.units <> l.quantity then l.units || ' units of ' || l.quantity
        when o.status <> 'pending' and l.last_index <> l.quantity - 1 then 'its unit numbers have gaps'
        when l.delivered <> l.fulfilled_quantity
          then 'says ' || l.fulfilled_quantity || ' delivered but has ' || l.delivered
        else 'its failure code is not that of a unit' end
    from (
      select l.order_id, l.line_index, l.quantity, l.fulfilled_quantity, l.failure_code,
        count(u.order_id) as units, max(u.unit_index) as last_index, count(u.delivered_at) as delivered,
        count(u.failure_code) as failed, count(*) filter (where u.failure_code = l.failure_code) as failed_alike
      from ${lines} l
      left join ${units} u on u.order_id = l.order_id and u.line_index = l.line_index
      group by l.order_id, l.line_index, l.quantity, l.fulfilled_quantity, l.failure_code
    ) l
    join ${orders} o on o.id = l.order_id
    where (o.status <> 'pending' and (l.units <> l.quantity or l.last_index <> l.quantity - 1))
      or l.delivered <> l.fulfilled_quantity
      or (l.failed_alike = 0 and (l.failed > 0 or l.failure_code is not null))`;
}

function unitsWithoutLine({ lines, units }: Extent): Sql {
  return sql`
    select ${unitName("u")} || ' has no line'
    from ${units} u
    where not exists (select from ${lines} l where l.order_id = u.order_id and l.line_index = u.line_index)`;
}

/** A unit that is delivered and refunded was refunded by the operator, which is only possible after completion. */
function deliveredAndRefunded({ orders, units }: Extent): Sql {
  return sql`
    select ${unitName("u")} || ' is delivered and refunded, and its order is ' || o.status
    from ${units} u
    join ${orders} o on o.id = u.order_id
    where u.status = 'refunded' and u.delivered_at is not null and o.status not in ('completed', 'refunded')`;
}

function severalOpenAttempts({ attempts }: Extent): Sql {
  return sql`
    select ${unitName("a")} || ' has ' || count(*) || ' open attempts'
    from ${attempts} a
    where a.status = 'open'
    group by a.order_id, a.line_index, a.unit_index having count(*) > 1`;
}

function severalCodes({ codes }: Extent): Sql {
  return sql`
    select ${unitName("c")} || ' has ' || count(*) || ' delivered codes'
    from ${codes} c
    where c.state = 'delivered'
    group by c.order_id, c.line_index, c.unit_index having count(*) > 1`;
}

/** Every delivered unit has its code, and vice versa. */
function unitsAndCodesDiffer({ lines, units, codes }: Extent): Sql {
  return sql`
    select case when c.id is null then ${unitName("u")} || ' was delivered but has no code'
        when u.order_id is null then 'code ' || c.id || ' is delivered, but its unit is not'
        when c.delivered_at <> u.delivered_at then 'code ' || c.id || ' has a different delivery time than its unit'
        else 'code ' || c.id || ' is for a different product than its line' end
    from (select order_id, line_index, unit_index, delivered_at from ${units} t where delivered_at is not null) u
    full join (
      select id, order_id, line_index, unit_index, product_id, delivered_at from ${codes} t where state = 'delivered'
    ) c on ${sameUnit("c", "u")}
    left join ${lines} l on l.order_id = c.order_id and l.line_index = c.line_index
    where c.id is null or u.order_id is null or c.delivered_at <> u.delivered_at or c.product_id <> l.product_id`;
}

/** Compares digests, because codes are not opened here. Quarantined codes belong to no unit. */
function oneCodeTwice({ codes }: Extent): Sql {
  return sql`
    select 'the same code is stored as ' || string_agg(c.id, ', ' order by c.id)
    from ${codes} c
    where c.digest is not null and c.state <> 'quarantined'
    group by c.digest having count(*) > 1`;
}
