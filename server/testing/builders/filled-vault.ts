import sql from "sql-template-tag";
import type { Db, Queryable } from "../../src/db/database.ts";
import { loadServerSecrets } from "../../src/keys/server-secrets.ts";
import { type Secret, secret } from "../../src/lib/secret.ts";
import { createCodeVault } from "../../src/vault/code-vault.ts";
import { fixedKeyring } from "../../src/vault/keyring.ts";
import { keyIdOf, seal } from "../../src/vault/seal.ts";
import { addSealedCodes, listCodes } from "./sealed-codes.ts";

export const OLD_KEY = secret(Buffer.alloc(32, 1));
export const NEW_KEY = secret(Buffer.alloc(32, 2));
export const LOST_KEY = secret(Buffer.alloc(32, 3));

/**
 * What `fillVault` seals: codes in every state, a supplier's config, the secrets of two endpoints, a TOTP secret, an
 * uploaded file, and the server's four.
 */
export const FILLED = { codes: 1_004, webhookSecrets: 3, values: 1_014 };

/** Seals everything that the database keeps sealed under one key, replacing what was there. */
export async function fillVault(db: Db, key: Secret<Buffer>): Promise<void> {
  await emptyVault(db);
  const vault = createCodeVault(fixedKeyring([key]));
  await addSealedCodes(db, vault, { prefix: "stock", count: 1_000, state: "stock" });
  await addSealedCodes(db, vault, { prefix: "expired", count: 2, state: "expired" });
  await addSealedCodes(db, vault, { prefix: "delivered", count: 1, state: "delivered" });
  await addSealedCodes(db, vault, { prefix: "quarantined", count: 1, state: "quarantined" });
  const config = seal([key], "supplier-config:sup_up", Buffer.from("config"));
  await db.rows(
    sql`insert into suppliers (id, kind, name, sealed_config) values ('sup_up', 'scrip', 'Upstream', ${config})`,
  );
  await addSealedWebhookSecrets(db, key);
  await addSealedTotp(db, key);
  await addSealedUpload(db, key);
  await loadServerSecrets(db, [key]);
}

/** One endpoint is in the middle of a rotation and has two. */
async function addSealedWebhookSecrets(db: Queryable, key: Secret<Buffer>): Promise<void> {
  await db.rows(sql`
    insert into resellers (id, name, currency, email) values ('rsl_vault', 'Vault', 'USD', 'owner@vault.example')
    on conflict do nothing`);
  const owners = ["whk_first", "whk_first", "whk_second"];
  await db.rows(sql`
    insert into webhook_endpoints (id, reseller_id, environment, url, created_at, updated_at)
    select distinct id, 'rsl_vault', 'live', 'https://hooks.example.com/', now(), now()
    from unnest(${owners}::text[]) id`);
  const sealed = owners.map((id) => seal([key], `webhook-secret:${id}`, Buffer.from(`whsec_of_${id}`)));
  await db.rows(sql`
    insert into webhook_secrets (endpoint_id, sealed, created_at)
    select id, sealed, now() from unnest(${owners}::text[], ${sealed}::bytea[]) as one (id, sealed)`);
}

async function addSealedTotp(db: Queryable, key: Secret<Buffer>): Promise<void> {
  await db.rows(sql`
    insert into accounts (id, kind, email, role, created_at)
    values ('stf_vault', 'staff', 'vault@operator.example', 'admin', now()) on conflict do nothing`);
  const sealed = seal([key], "totp:stf_vault", Buffer.from("a secret of TOTP"));
  await db.rows(
    sql`insert into totp_factors (account_id, sealed, created_at) values ('stf_vault', ${sealed}, now())`,
  );
}

async function addSealedUpload(db: Queryable, key: Secret<Buffer>): Promise<void> {
  const sealed = seal([key], "upload:job_vault:0", Buffer.from("code\nABCD"));
  await db.rows(sql`
    insert into jobs (id, kind, params, state, actor_kind, actor_id, leased_until, created_at)
    values ('job_vault', 'import_stock', '{}', 'ready', 'command', 'scrip', now(), now())`);
  await db.rows(sql`
    insert into job_parts (job_id, role, number, sealed, bytes) values ('job_vault', 'input', 0, ${sealed}, 9)`);
}

export const emptyVault = (db: Queryable) =>
  db.rows(sql`truncate codes, suppliers, sealed_secrets, webhook_endpoints, totp_factors, jobs cascade`);

/** The dependencies of a process with these keys, newest first. */
export const vaultDeps = (db: Db, ...keys: [Secret<Buffer>, ...Secret<Buffer>[]]) => {
  const keyring = fixedKeyring(keys);
  return { db, keyring, codeVault: createCodeVault(keyring) };
};

export const keyName = (key: Secret<Buffer>): string => keyIdOf(key).toString("hex");

/** How many codes are sealed under a key. */
export async function countUnder(db: Queryable, key: Secret<Buffer>): Promise<number> {
  const codes = await listCodes(db);
  return codes.filter(({ sealed }) => sealed.subarray(1, 5).equals(keyIdOf(key))).length;
}
