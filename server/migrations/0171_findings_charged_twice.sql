-- The few findings of purchases that were charged twice, for the list of what was lost (reports/list-lost).
create index reconciliation_findings_twice on reconciliation_findings (reconciliation_id) where kind = 'duplicate';
