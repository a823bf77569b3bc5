-- A form that must count once carries a random id. The first request that brings it takes it; the same form again is refused.
alter table account_challenges drop constraint account_challenges_purpose_check;
alter table account_challenges add constraint account_challenges_purpose_check
  check (purpose in ('second_factor', 'passkey_sign_in', 'passkey_add', 'passkey_prove', 'form'));
