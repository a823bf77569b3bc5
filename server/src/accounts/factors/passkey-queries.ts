import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";

export type PasskeyRow = {
  id: string;
  accountId: string;
  publicKey: Buffer;
  counter: bigint;
  transports: string[];
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
};

const passkeyColumns = sql`
  id, account_id as "accountId", public_key as "publicKey", counter, transports, name, created_at as "createdAt",
  last_used_at as "lastUsedAt"`;

export const listPasskeyRows = (db: Queryable, accountId: string) =>
  db.rows<PasskeyRow>(sql`
    select ${passkeyColumns} from passkeys where account_id = ${accountId} order by created_at, id`);

export const findPasskey = async (db: Queryable, id: string): Promise<PasskeyRow | undefined> => {
  const [row] = await db.rows<PasskeyRow>(sql`select ${passkeyColumns} from passkeys where id = ${id}`);
  return row;
};

export const insertPasskey = (tx: Tx, passkey: Omit<PasskeyRow, "lastUsedAt">) =>
  tx.rows<{ id: string }>(sql`
    insert into passkeys (id, account_id, public_key, counter, transports, name, created_at)
    values (${passkey.id}, ${passkey.accountId}, ${passkey.publicKey}, ${passkey.counter}, ${passkey.transports},
            ${passkey.name}, ${passkey.createdAt})
    on conflict (id) do nothing returning id`);

/** A counter that does not grow is that of a copy; authenticators without one always say zero. */
export const markPasskeyUsed = (db: Queryable, id: string, counter: number, now: Date) =>
  db.rows<{ id: string }>(sql`
    update passkeys set counter = ${counter}, last_used_at = ${now}
    where id = ${id} and (counter < ${counter} or counter = 0 and ${counter} = 0) returning id`);

export const deletePasskey = (tx: Tx, accountId: string, id: string) =>
  tx.rows<{ name: string }>(
    sql`delete from passkeys where id = ${id} and account_id = ${accountId} returning name`,
  );
