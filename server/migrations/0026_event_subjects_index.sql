-- Each event about something other than an order is written once. Reseller and environment are part of it: both environments of a
-- reseller can have the same subject, such as its catalog. Apart from 0016, which keeps readers out as well.
create unique index events_once_per_subject on events (subject_kind, subject_id, reseller_id, environment, cause)
  where subject_id is not null;
