-- Where a row was written. A dump carries the rows of the processes that serve its source, and where it is restored the table is
-- another one: they do not serve there. Null for a process of an older version.
alter table processes add column home text;
