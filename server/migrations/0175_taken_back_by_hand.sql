-- An order that is delivered whole or not at all can take a code back that a person entered: it goes to quarantine.
alter table supplier_attempts
  drop constraint supplier_attempts_by_hand,
  add constraint supplier_attempts_by_hand check (not by_hand or status in ('delivered', 'quarantined')) not valid;
