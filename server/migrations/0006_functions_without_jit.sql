-- A disabled scan adds 1e10 to the cost of a plan before PostgreSQL 18, so that every call of these functions would be
-- compiled, for about a second. Our own sessions have it off; the functions have it off for every other one too.
alter function begin_placements(text[], text[], text[], text[], timestamptz, integer) set jit = off;
alter function refuse_other_environment() set jit = off;
alter function refuse_other_owner() set jit = off;
alter function refuse_other_endpoint() set jit = off;
