-- Old counts are deleted by their hour.
create index key_spending_by_hour on key_spending (hour);
