-- When an endpoint was sent its latest test events, at most as many as it may be sent in a minute: the limit holds across
-- processes.
alter table webhook_endpoints add column recent_tests timestamptz(3)[] not null default '{}';
