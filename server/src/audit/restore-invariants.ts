import sql from "sql-template-tag";
import { missingTriggers } from "../db/guards.ts";
import type { Invariant } from "./invariant.ts";

const RESTORE_TRIGGERS = [
  `create trigger restores_append_only before delete or update on restores
     for each row execute function refuse_change()`,
  `create trigger restores_never_emptied before truncate on restores
     for each statement execute function refuse_change()`,
  `create trigger restored_codes_kept before delete on restored_codes
     for each row execute function refuse_change()`,
  `create trigger restored_codes_never_emptied before truncate on restored_codes
     for each statement execute function refuse_change()`,
  `create trigger lost_codes_append_only before delete or update on lost_codes
     for each row execute function refuse_change()`,
  `create trigger lost_codes_never_emptied before truncate on lost_codes
     for each statement execute function refuse_change()`,
  `create trigger restored_codes_follow_rules before update on restored_codes
     for each row execute function check_restored_code()`,
];

/** A restore forgets sales. What was sold before it is not sold again. */
export const restoredCodesStaySold: Invariant = {
  number: 18,
  name: "a code that was or may have been sold before a restore of the database is not for sale, unless it was found unsold",
  count: () => sql`select count(*) as count from restored_codes`,
  violations: () => sql`
    select 'code ' || r.code_id || ': set aside by a restore but ' || coalesce(c.state, 'gone') as violation
    from restored_codes r
    left join codes c on c.id = r.code_id
    where c.id is null or (r.released_at is null and c.state <> 'withdrawn')
    union all
    select 'code ' || code_id || ': sold before a restore and released since'
    from restored_codes where not may_return and released_at is not null
    union all
    select 'code ' || c.id || ': sold before a restore and in stock'
    from lost_codes l join codes c on c.digest = l.digest and c.state in ('stock', 'expired')
    union all ${missingTriggers(RESTORE_TRIGGERS)}`,
};
