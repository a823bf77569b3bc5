import sql from "sql-template-tag";
import { missingTriggers } from "../db/guards.ts";
import type { Invariant } from "./invariant.ts";

const PROPOSAL_TRIGGERS = [
  `create trigger movement_proposals_final before update on movement_proposals
     for each row execute function refuse_proposal_change()`,
  `create trigger movement_proposals_kept before delete on movement_proposals
     for each row execute function refuse_change()`,
  `create trigger movement_proposals_never_emptied before truncate on movement_proposals
     for each statement execute function refuse_change()`,
];

/** What two people decided is in the ledger, once, as they decided it. */
export const proposalsMoveMoneyOnce: Invariant = {
  number: 13,
  name: "an approved proposal has exactly one entry, of its wallet and amount; two people of the staff decided it",
  count: ({ proposals }) => sql`select count(*) as count from ${proposals} p`,
  violations: ({ proposals, entries }) => sql`
    with entries as (
      select e.id, count(*) as copies, min(e.amount_minor) as amount_minor, min(e.reseller_id) as reseller_id,
        min(e.environment) as environment, min(e.currency) as currency, min(e.type) as type
      from ${entries} e
      join ${proposals} p on p.entry_id = e.id
      group by e.id
    ), claims as (
      select entry_id, count(*) as proposals from ${proposals} p where entry_id is not null group by entry_id
    )
    select 'proposal ' || p.id || ': ' ||
      case when e.id is null then 'approved without an entry'
        when e.copies <> c.proposals or c.proposals <> 1 then 'its entry is not its own'
        else 'its entry is another movement' end as violation
    from ${proposals} p
    left join entries e on e.id = p.entry_id
    left join claims c on c.entry_id = p.entry_id
    where p.state = 'approved' and (
      e.id is null
      or e.copies <> 1 or c.proposals <> 1
      or e.amount_minor <> case p.direction when 'credit' then p.amount_minor else -p.amount_minor end
      or e.reseller_id <> p.reseller_id or e.environment <> p.environment or e.currency <> p.currency
      or e.type <> case p.direction when 'credit' then 'deposit' else 'adjustment' end
    )
    union all
    select 'proposal ' || p.id || ' is ' || p.state || ' but names an entry'
    from ${proposals} p where p.state <> 'approved' and p.entry_id is not null
    union all
    select 'proposal ' || p.id || ' was ' || p.state || ' by the person who proposed it'
    from ${proposals} p where p.state in ('approved', 'rejected') and p.decided_by = p.proposed_by
    union all
    select 'proposal ' || p.id || ' was approved after it expired'
    from ${proposals} p where p.state = 'approved' and p.decided_at >= p.expires_at
    union all
    select 'proposal ' || p.id || ' was not proposed and decided by people of the staff'
    from ${proposals} p
    left join accounts one on one.id = p.proposed_by
    left join accounts two on two.id = p.decided_by
    where one.kind is distinct from 'staff' or (p.decided_by is not null and two.kind is distinct from 'staff')
    union all ${missingTriggers(PROPOSAL_TRIGGERS)}`,
};
