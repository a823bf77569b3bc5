-- When an order was first taken, and when it was completed or failed: what its timeline shows. Orders from before this
-- migration have no such times, and their timelines leave out what is not known.
alter table orders add column processing_at timestamptz(3), add column ended_at timestamptz(3);
