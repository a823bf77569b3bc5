-- Where exchange rates are read from without anyone asking: the address in FX_RATES_URL, as 'reference', and the feeds of suppliers, by
-- their ids. A source is due at a time, so that processes take turns.
create table rate_sources (
  source text collate "C" primary key,
  due_at timestamptz(3) not null,
  received_at timestamptz(3)
);

-- The operator decides whose rates are used: a feed is stronger than a reference file for every cost, whoever the supplier is.
alter table suppliers add column feeds_rates boolean not null default false;
