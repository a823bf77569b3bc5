import sql from "sql-template-tag";
import type { Invariant } from "./invariant.ts";

/** Only what can be seen from outside is compared: nobody but the reseller can open these codes. */
export const sealedCodesAreTheResellers: Invariant = {
  number: 17,
  name: "a code is sealed under the master key or to a key of its reseller, never both; no code that can be taken back is sealed to a reseller",
  count: ({ codes }) => sql`select count(*) as count from ${codes} c where ciphertext is not null`,
  violations: ({ orders, codes }) => sql`
    select 'code ' || c.id || ': ' ||
      case when num_nonnulls(c.kid, c.enc, c.ciphertext) <> 3 then 'its seal to the reseller is not whole'
        when c.sealed is not null then 'there is a second copy under the master key'
        when c.state <> 'delivered' then 'sealed to a reseller but ' || c.state
        when c.type = 'topup' then 'a receipt is sealed to a reseller'
        when length(c.enc) <> 32 or length(c.ciphertext) <= 16 then 'its seal has the wrong length'
        when k.kid is null then 'sealed to a key that is not its reseller''s'
        else 'sealed to the reseller while it can be taken back' end as violation
    from ${codes} c
    left join ${orders} o on o.id = c.order_id
    left join encryption_keys k
      on k.reseller_id = o.reseller_id and k.environment = o.environment and k.kid = c.kid
    where num_nonnulls(c.kid, c.enc, c.ciphertext) > 0 and (
      num_nonnulls(c.kid, c.enc, c.ciphertext) <> 3
      or c.sealed is not null
      or c.state <> 'delivered'
      or c.type = 'topup'
      or length(c.enc) <> 32 or length(c.ciphertext) <= 16
      or k.kid is null
      or (o.all_or_nothing and o.status = 'processing')
    )
    union all
    select 'code ' || c.id || ' is kept in neither way'
    from ${codes} c where c.environment = 'live' and c.sealed is null and c.ciphertext is null
    union all
    select 'reseller ' || reseller_id || ' has ' || count(*) || ' current encryption keys in ' || environment
    from encryption_keys where retired_at is null group by reseller_id, environment having count(*) > 1
    union all
    select 'encryption key ' || kid || ' of reseller ' || reseller_id || ' does not have the id of its public key'
    from encryption_keys
    where kid <> rtrim(translate(encode(substring(sha256(public_key) from 1 for 16), 'base64'), '+/', '-_'), '=')`,
};
