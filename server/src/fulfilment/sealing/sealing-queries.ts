import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { GoodsType } from "../../suppliers/goods.ts";
import type { UnitKey } from "../../vault/code-place.ts";
import type { RecipientKey, StoredSeal } from "./seal-to-reseller.ts";

/**
 * The keys that codes of these orders are sealed to when they are delivered. The codes of an all-or-nothing order can be taken
 * back until it is completed, so they are sealed then. A key stays current until the transaction ends: a reseller who was told
 * that it is retired may throw its private half away.
 */
export const findRecipients = async (
  tx: Tx,
  orderIds: readonly string[],
): Promise<Map<string, RecipientKey>> => {
  const rows = await tx.rows<RecipientKey & { orderId: string }>(
    sql`
      select o.id as "orderId", k.kid, k.public_key as "publicKey"
      from orders o
      join encryption_keys k
        on k.reseller_id = o.reseller_id and k.environment = o.environment and k.retired_at is null
      where o.id = any(${orderIds}) and not (o.all_or_nothing and o.status = 'processing')
      for share of k`,
    { name: "find-recipients" },
  );
  return new Map(rows.map(({ orderId, ...key }) => [orderId, key]));
};

export type HeldBackGoods = UnitKey & {
  id: string;
  productId: string;
  type: GoodsType;
  sealed: Buffer | null;
  testCode: string | null;
};

/** Delivered codes that are not sealed to their reseller yet. A receipt is not a code. */
export const listUnsealedCodes = (tx: Tx, orderIds: readonly string[]) =>
  tx.rows<HeldBackGoods>(sql`
    select id, order_id as "orderId", line_index as "lineIndex", unit_index as "unitIndex", product_id as "productId", type,
           sealed, test_code as "testCode"
    from codes
    where order_id = any(${orderIds}) and state = 'delivered' and ciphertext is null and type <> 'topup'
    order by id for update`);

/** Stores codes sealed to their reseller. The copy under the master key goes in the same statement. */
export const storeSealedCodes = (tx: Tx, codes: readonly ({ id: string } & StoredSeal)[]) =>
  tx.rows(sql`
    update codes c set sealed = null, kid = one.kid, enc = one.enc, ciphertext = one.ciphertext
    from unnest(
      ${codes.map((one) => one.id)}::text[], ${codes.map((one) => one.kid)}::text[],
      ${codes.map((one) => one.enc)}::bytea[], ${codes.map((one) => one.ciphertext)}::bytea[]
    ) as one (id, kid, enc, ciphertext)
    where c.id = one.id and c.state = 'delivered'`);

export type EncryptionKeyRow = RecipientKey & { registeredAt: Date; retiredAt: Date | null };

/** The keys of a tenant, the current one first, then the newest. */
export const listKeyRows = (db: Queryable, { resellerId, environment }: Tenant) =>
  db.rows<EncryptionKeyRow>(sql`
    select kid, public_key as "publicKey", registered_at as "registeredAt", retired_at as "retiredAt"
    from encryption_keys where reseller_id = ${resellerId} and environment = ${environment}
    order by retired_at is not null, registered_at desc, kid`);

/** One change of a tenant's keys at a time. */
export const lockKeys = (tx: Tx, { resellerId, environment }: Tenant) =>
  tx.rows(sql`
    select pg_advisory_xact_lock(hashtextextended(${`encryption key ${resellerId} ${environment}`}, 0))`);

export const retireKey = (tx: Tx, { resellerId, environment }: Tenant, now: Date) =>
  tx.rows(sql`
    update encryption_keys set retired_at = ${now}
    where reseller_id = ${resellerId} and environment = ${environment} and retired_at is null`);

/** A key that was retired becomes the current one again. */
export const insertKey = (
  tx: Tx,
  { resellerId, environment }: Tenant,
  { kid, publicKey }: RecipientKey,
  now: Date,
) =>
  tx.rows(sql`
    insert into encryption_keys (reseller_id, environment, kid, public_key, registered_at)
    values (${resellerId}, ${environment}, ${kid}, ${publicKey}, ${now})
    on conflict (reseller_id, environment, kid) do update set registered_at = ${now}, retired_at = null`);
