import sql from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";

/** What a reseller is told by mail, besides what concerns one person. */
export const NOTICE_KINDS = ["wallet_low", "webhook_failing", "webhook_disabled", "deposit"] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** At most so many addresses for each kind; `notice_addresses` in the schema has the same maximum. */
export const NOTICE_ADDRESSES_MAX = 5;

/** The addresses for a kind: the reseller's own address where none were chosen. */
export const findNoticeAddresses = async (
  db: Queryable,
  resellerId: string,
  kind: NoticeKind,
): Promise<string[]> => {
  const [row] = await db.rows<{ addresses: string[] }>(sql`
    select coalesce(n.addresses, array[r.email]) as addresses
    from resellers r
    left join notice_addresses n on n.reseller_id = r.id and n.kind = ${kind}
    where r.id = ${resellerId}`);
  return row?.addresses ?? [];
};

export type ChosenAddresses = Readonly<Partial<Record<NoticeKind, readonly string[]>>>;

/** The addresses that were chosen, by kind. */
export const listChosenAddresses = async (db: Queryable, resellerId: string): Promise<ChosenAddresses> => {
  const rows = await db.rows<{ kind: NoticeKind; addresses: string[] }>(sql`
    select kind, addresses from notice_addresses where reseller_id = ${resellerId}`);
  return Object.fromEntries(rows.map(({ kind, addresses }) => [kind, addresses]));
};

export const saveChosenAddresses = (
  tx: Tx,
  resellerId: string,
  kind: NoticeKind,
  addresses: readonly string[],
) =>
  addresses.length === 0
    ? tx.rows(sql`delete from notice_addresses where reseller_id = ${resellerId} and kind = ${kind}`)
    : tx.rows(sql`
        insert into notice_addresses (reseller_id, kind, addresses) values (${resellerId}, ${kind}, ${addresses})
        on conflict (reseller_id, kind) do update set addresses = excluded.addresses`);
