import { testDamages } from "../../testing/builders/audit-damages.ts";

const CODE = "cod_ord_completed_0_0";
const restore = `insert into restores (since, knows_sold, done_at) values (now(), true, now())`;
const aside = (mayReturn: boolean, releasedAt = "null") => `
  insert into restored_codes (code_id, restore_id, may_return, released_at)
  select '${CODE}', id, ${mayReturn}, ${releasedAt} from restores`;

testDamages({
  "a code that was set aside without knowledge, released and sold": [[restore, aside(true, "now()")], {}],
  "a code that was sold again": [
    [restore, aside(false)],
    { 18: [`code ${CODE}: set aside by a restore but delivered`] },
  ],
  "a code that may have been sold and was sold again without a release": [
    [restore, aside(true)],
    { 18: [`code ${CODE}: set aside by a restore but delivered`] },
  ],
  "a sold code that was released": [
    ["alter table restored_codes drop constraint restored_codes_check", restore, aside(false, "now()")],
    { 18: [`code ${CODE}: sold before a restore and released since`] },
  ],
  "a guard that is gone": [
    ["drop trigger restored_codes_follow_rules on restored_codes"],
    { 18: ["the trigger restored_codes_follow_rules is missing, changed or switched off"] },
  ],
});
