-- Every request of the API writes a row here, and an index costs about as much as the row. The index by reseller also finds
-- one request of that reseller. A staff member who has nothing but the id finds it by its place in time: ids are written in
-- their order, so a summary of each range of pages is enough.
alter table api_requests drop constraint api_requests_pkey;
alter table api_requests alter column id set not null;

create index api_requests_in_time on api_requests using brin (id) with (pages_per_range = 32, autosummarize = on);
