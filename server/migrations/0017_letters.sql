-- Letters of any kind, written in the transaction of what they tell and sent afterwards. This table takes over from notices,
-- which could only hold letters about failing endpoints.
create table letters (
  id bigint generated always as identity primary key,
  -- Why it was written. There is one letter for each cause.
  cause text collate "C" not null check (length(cause) between 1 and 255),
  -- Both become headers of a mail, so they must not hold a line break.
  recipient text not null check (recipient !~ '[\x01-\x1f\x7f]'),
  subject text not null check (subject !~ '[\x01-\x1f\x7f]'),
  body_text text not null,
  body_html text,
  -- A letter with a secret, such as a link to sign in: its bodies are erased as soon as it is sent or has expired.
  holds_secret boolean not null default false,
  status text not null default 'waiting' check (status in ('waiting', 'sent', 'expired')),
  tries integer not null default 0 check (tries >= 0),
  next_try_at timestamptz(3) not null,
  -- From then on it is not worth sending.
  expires_at timestamptz(3),
  created_at timestamptz(3) not null,
  ended_at timestamptz(3),
  constraint letters_ended check ((status = 'waiting') = (ended_at is null)),
  constraint letters_erased check (status = 'waiting' or not holds_secret or (body_text = '' and body_html is null))
);

create unique index letters_once on letters (cause);
create index letters_waiting on letters (next_try_at) where status = 'waiting';

-- What waits moves over. What was sent stays in notices. Nothing is added between the move and the trigger below.
lock table notices in share row exclusive mode;
with moved as (
  delete from notices where sent_at is null returning id, recipient, subject, body, created_at, tries, next_try_at
)
insert into letters (cause, recipient, subject, body_text, created_at, tries, next_try_at)
select 'notice ' || id, regexp_replace(recipient, '[\x01-\x1f\x7f]', '', 'g'),
       regexp_replace(subject, '[\x01-\x1f\x7f]', ' ', 'g'), body, created_at, tries, next_try_at
from moved order by id;

-- A process of the previous version goes on inserting into notices. Its letters are sent by a process of this version.
create function forward_notice() returns trigger language plpgsql as $$
begin
  insert into letters (cause, recipient, subject, body_text, created_at, next_try_at)
  values ('notice ' || new.id, regexp_replace(new.recipient, '[\x01-\x1f\x7f]', '', 'g'),
          regexp_replace(new.subject, '[\x01-\x1f\x7f]', ' ', 'g'), new.body, new.created_at, new.next_try_at);
  return null;
end $$;

create trigger notices_forward before insert on notices for each row execute function forward_notice();
