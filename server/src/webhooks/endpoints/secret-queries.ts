import sql from "sql-template-tag";
import type { Tx } from "../../db/database.ts";

export const insertSecret = (tx: Tx, secret: { endpointId: string; sealed: Buffer; createdAt: Date }) =>
  tx.rows(sql`
    insert into webhook_secrets (endpoint_id, sealed, created_at)
    values (${secret.endpointId}, ${secret.sealed}, ${secret.createdAt})`);

export const countLivingSecrets = async (tx: Tx, endpointId: string, now: Date): Promise<number> => {
  const [row] = await tx.rows<{ count: number }>(sql`
    select count(*)::integer as count from webhook_secrets
    where endpoint_id = ${endpointId} and (expires_at is null or expires_at > ${now})`);
  return row?.count ?? 0;
};

/** Every secret of the endpoint expires at that time, unless it expires sooner. */
export const expireSecrets = (tx: Tx, endpointId: string, expiresAt: Date) =>
  tx.rows(sql`
    update webhook_secrets set expires_at = least(expires_at, ${expiresAt}) where endpoint_id = ${endpointId}`);

export const deleteExpiredSecrets = (tx: Tx, endpointId: string, now: Date) =>
  tx.rows(sql`delete from webhook_secrets where endpoint_id = ${endpointId} and expires_at <= ${now}`);
