import sql, { type Sql } from "sql-template-tag";
import { BY_REFERENCE, EVERY_ID, inRange, newestFirst } from "../orders/order-range.ts";
import type { FoundKind } from "./found.ts";
import type { Term } from "./read-term.ts";

/** One way to find one kind, by one index. It selects id, title, status, reseller, environment and order. */
export type Branch = {
  kind: FoundKind;
  find: (term: Term, digestKey: (key: string) => Buffer) => Sql | undefined;
};

/** What one branch finds at most. */
export const FOUND_PER_BRANCH = 10;
const some = sql`limit ${FOUND_PER_BRANCH}`;

/** Kinds whose id is the primary key, by its prefix: id, title, status, reseller, environment, order. */
const BY_ID: Readonly<Record<string, { kind: FoundKind; select: (id: string) => Sql }>> = {
  rsl: { kind: "reseller", select: (id) => sql`select ${RESELLER} from resellers where id = ${id}` },
  key: { kind: "key", select: (id) => sql`select ${KEY} from api_keys where id = ${id}` },
  whk: {
    kind: "endpoint",
    select: (id) => sql`
      select id, split_part(url, '/', 3), case when deleted_at is not null then 'removed' when active then 'active' else 'disabled' end,
             reseller_id, environment, null from webhook_endpoints where id = ${id}`,
  },
  evt: {
    kind: "event",
    select: (id) =>
      sql`select id, type, null, reseller_id, environment, order_id from events where id = ${id}`,
  },
  dlv: {
    kind: "delivery",
    select: (id) => sql`
      select d.id, e.type, d.status, e.reseller_id, e.environment, e.order_id
      from deliveries d join events e on e.id = d.event_id where d.id = ${id}`,
  },
  req: {
    kind: "request",
    select: (id) => sql`
      select id, method || ' ' || path, status::text, reseller_id, environment, null from api_requests where id = ${id}`,
  },
  usr: {
    kind: "user",
    select: (id) => sql`select ${PERSON} from accounts where id = ${id} and kind = 'user'`,
  },
  stf: {
    kind: "staff",
    select: (id) => sql`select ${PERSON} from accounts where id = ${id} and kind = 'staff'`,
  },
  sup: { kind: "supplier", select: (id) => sql`select ${SUPPLIER} from suppliers where id = ${id}` },
  cod: { kind: "code", select: (id) => sql`select ${CODE_FOUND} from codes c where c.id = ${id}` },
  job: {
    kind: "job",
    select: (id) => sql`select id, kind, state, null, null, null from jobs where id = ${id}`,
  },
  alt: {
    kind: "alert",
    select: (id) => sql`
      select id, kind, case when resolved_at is null then 'open' else 'resolved' end, null, null, null from alerts where id = ${id}`,
  },
  dep: { kind: "deposit", select: (id) => sql`select ${DEPOSIT} from deposits where id = ${id}` },
  act: {
    kind: "activity",
    select: (id) =>
      sql`select id, action, null, reseller_id, environment, null from activity where id = ${id}`,
  },
};

const RESELLER = sql`id, name, case when frozen_at is null then 'active' else 'frozen' end, id, null, null`;
const KEY = sql`
  id, 'sc_' || environment || '_…' || last_four, case when revoked_at is null then 'active' else 'revoked' end, reseller_id,
  environment, null`;
const PERSON = sql`
  id, email, case when removed_at is not null then 'removed' when accepted_at is null then 'invited' else role end, reseller_id,
  null, null`;
const SUPPLIER = sql`id, name, case when enabled then 'active' else 'disabled' end, null, null, null`;
const PRODUCT = sql`
  id, name, case when not active then 'inactive' when hidden then 'hidden' else 'active' end, null, null, null`;
export const CODE_FOUND = sql`
  c.id, c.product_id, c.state, (select o.reseller_id from orders o where o.id = c.order_id), c.environment, c.order_id`;
const ORDER = sql`o.id, coalesce(o.reference, o.idempotency_key), o.status, o.reseller_id, o.environment, o.id`;
const PURCHASE = sql`
  concat_ws('.', a.order_id, a.line_index, a.unit_index, a.number),
  (select s.name from suppliers s where s.id = a.supplier_id) || coalesce(' · ' || a.upstream_id, ''), a.status,
  (select o.reseller_id from orders o where o.id = a.order_id), a.environment, a.order_id`;
const DEPOSIT = sql`id, reference, status, reseller_id, environment, null`;
const ENTRY = sql`id, type || coalesce(': ' || note, ''), null, reseller_id, environment, order_id`;

/** The indexes of orders begin with the reseller and the environment, so each is asked. The cost follows the number of resellers. */
const ofEachTenant = (found: Sql): Sql => sql`
  select found.* from resellers r cross join (values ('live'), ('test')) tenant (environment)
  cross join lateral (${found}) found ${some}`;

/** A name is found when every word of the term begins one of its words. */
const byWords = (columns: Sql, table: Sql, text: Sql, { words }: Term): Sql | undefined =>
  words.length === 0
    ? undefined
    : sql`
  select ${columns} from ${table}
  where to_tsvector('simple', translate(${text}, '-_./:', '     ')) @@
        to_tsquery('simple', ${words.map((word) => `${word}:*`).join(" & ")})
  order by id ${some}`;

/** Exact matches first. */
export const BRANCHES: readonly Branch[] = [
  ...Object.entries(BY_ID).map(
    ([prefix, { kind, select }]): Branch => ({
      kind,
      find: (term) => (term.prefix === prefix ? select(term.text) : undefined),
    }),
  ),
  {
    kind: "deposit",
    find: ({ reference }) =>
      reference === undefined
        ? undefined
        : sql`select ${DEPOSIT} from deposits where reference = ${reference}`,
  },
  {
    kind: "order",
    // The beginning of an id is enough: all ids that begin with it are a range.
    find: ({ prefix, text }) =>
      prefix === "ord"
        ? sql`select ${ORDER} from orders o where o.id >= ${text} and o.id < ${`${text}~`} order by o.id desc ${some}`
        : undefined,
  },
  {
    kind: "unit",
    find: ({ unit }) =>
      unit &&
      sql`
      select concat_ws('.', u.order_id, u.line_index, u.unit_index),
             (select l.name from order_lines l where l.order_id = u.order_id and l.line_index = u.line_index), u.status,
             (select o.reseller_id from orders o where o.id = u.order_id), u.environment, u.order_id
      from order_units u
      where u.order_id = ${unit.orderId} and u.line_index = ${unit.lineIndex} and u.unit_index = ${unit.unitIndex}`,
  },
  {
    kind: "purchase",
    find: ({ unit }) =>
      unit?.number === undefined
        ? undefined
        : sql`
      select ${PURCHASE} from supplier_attempts a
      where a.order_id = ${unit.orderId} and a.line_index = ${unit.lineIndex} and a.unit_index = ${unit.unitIndex}
        and a.number = ${unit.number}`,
  },
  {
    kind: "entry",
    // The entry that pays for an order has the order's id with another prefix.
    find: ({ prefix, text }) =>
      prefix === "ent"
        ? sql`
      select ${ENTRY} from ledger_entries where id = ${text} and type <> 'order'
      union all
      select ${ENTRY} from ledger_entries where order_id = ${`ord${text.slice(3)}`} and type = 'order' and id = ${text}`
        : undefined,
  },
  {
    kind: "key",
    find: ({ isKey, text }, digestKey) =>
      isKey ? sql`select ${KEY} from api_keys where digest = ${digestKey(text)}` : undefined,
  },
  {
    kind: "product",
    find: ({ isKey, text }) => (isKey ? undefined : sql`select ${PRODUCT} from products where id = ${text}`),
  },
  {
    kind: "order",
    find: ({ isKey, text }) =>
      isKey
        ? undefined
        : ofEachTenant(sql`
      select ${ORDER} from orders o where o.binding = r.id || ' ' || tenant.environment || ' ' || ${text} limit 1`),
  },
  {
    kind: "order",
    find: ({ isKey, text }) =>
      isKey
        ? undefined
        : ofEachTenant(sql`
      select ${ORDER} from orders o
      where ${inRange(BY_REFERENCE, { resellerId: sql`r.id`, environment: sql`tenant.environment` }, EVERY_ID, text)}
        and o.reference is not null
      order by ${newestFirst(BY_REFERENCE)} ${some}`),
  },
  {
    kind: "purchase",
    find: ({ isKey, text }) =>
      isKey
        ? undefined
        : sql`select ${PURCHASE} from supplier_attempts a where a.upstream_id = ${text} ${some}`,
  },
  {
    kind: "user",
    find: ({ email }) =>
      email === undefined
        ? undefined
        : sql`select ${PERSON} from accounts where email = ${email} and removed_at is null and kind = 'user' order by id ${some}`,
  },
  {
    kind: "staff",
    find: ({ email }) =>
      email === undefined
        ? undefined
        : sql`select ${PERSON} from accounts where email = ${email} and removed_at is null and kind = 'staff' order by id ${some}`,
  },
  {
    kind: "reseller",
    find: ({ email }) =>
      email === undefined
        ? undefined
        : sql`select ${RESELLER} from resellers where lower(email) = ${email} order by id ${some}`,
  },
  {
    kind: "key",
    find: ({ keyEnd }) =>
      keyEnd &&
      sql`
      select ${KEY} from api_keys
      where last_four = ${keyEnd.lastFour} and environment = coalesce(${keyEnd.environment ?? null}, environment) order by id ${some}`,
  },
  { kind: "reseller", find: (term) => byWords(RESELLER, sql`resellers`, sql`name`, term) },
  { kind: "product", find: (term) => byWords(PRODUCT, sql`products`, sql`id || ' ' || name`, term) },
  { kind: "supplier", find: (term) => byWords(SUPPLIER, sql`suppliers`, sql`name`, term) },
];
