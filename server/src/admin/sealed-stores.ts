import sql, { empty, raw, type Sql } from "sql-template-tag";
import { totpContext } from "../accounts/factors/check-code.ts";
import type { Queryable } from "../db/database.ts";
import { serverSecretContext } from "../keys/server-secrets.ts";
import { supplierConfigContext } from "../suppliers/supplier-config.ts";
import { deliveredPlace, quarantinePlace, stockPlace } from "../vault/code-place.ts";
import { type CodeVault, codePrefix } from "../vault/code-vault.ts";
import type { Keyring } from "../vault/keyring.ts";
import { type MasterKeys, reseal, sealPrefix } from "../vault/seal.ts";
import { uploadContext } from "../vault/upload-context.ts";
import { webhookSecretContext } from "../webhooks/endpoints/webhook-secret.ts";
import { listOutdated, type OutdatedPage, type SealedColumn, type SealedRow } from "./rotate-queries.ts";

export type SealedKind =
  | "codes"
  | "supplierConfigs"
  | "webhookSecrets"
  | "totpSecrets"
  | "uploads"
  | "serverSecrets";

/** A kind of sealed value, and how key rotation reaches it. */
export type SealedStore = {
  kind: SealedKind;
  column: SealedColumn;
  /** The prefix of values under the newest key. */
  prefix: (keys: MasterKeys) => Buffer;
  listOutdated: (db: Queryable, page: Page) => Promise<PlacedRow[]>;
  rewrap: (place: string, sealed: Buffer) => Buffer | undefined;
};

/** A sealed value with the text its seal is bound to. */
export type PlacedRow = SealedRow & { place: string };

type Page = Omit<OutdatedPage, "column">;

/** All sealed values in the database. Anything else that is sealed in the future belongs in this list. */
export const sealedStores = (deps: { keyring: Keyring; codeVault: CodeVault }): SealedStore[] => [
  {
    kind: "codes",
    column: CODES,
    prefix: codePrefix,
    listOutdated: async (db, page) =>
      (await listOutdated<CodeRow>(db, { ...page, column: CODES }, CODE_PLACE)).map(toPlacedCode),
    rewrap: (place, sealed) => deps.codeVault.rewrap(place, sealed),
  },
  underMasterKey(deps.keyring, "supplierConfigs", SUPPLIER_CONFIGS, supplierConfigContext),
  {
    ...underMasterKey(deps.keyring, "webhookSecrets", WEBHOOK_SECRETS, webhookSecretContext),
    // Bound to the endpoint, not the row, because an endpoint can have several secrets.
    listOutdated: async (db, page) => {
      const outdated = { ...page, column: WEBHOOK_SECRETS };
      const rows = await listOutdated<SealedRow & { endpointId: string }>(db, outdated, SECRET_PLACE);
      return rows.map(({ endpointId, ...row }) => ({ ...row, place: webhookSecretContext(endpointId) }));
    },
  },
  underMasterKey(deps.keyring, "totpSecrets", TOTP_SECRETS, totpContext),
  {
    ...underMasterKey(deps.keyring, "uploads", UPLOADS, (id) => id),
    listOutdated: async (db, page) => {
      const outdated = { ...page, column: UPLOADS };
      const rows = await listOutdated<SealedRow & { jobId: string; number: number }>(
        db,
        outdated,
        UPLOAD_PLACE,
      );
      return rows.map(({ jobId, number, ...row }) => ({ ...row, place: uploadContext(jobId, number) }));
    },
  },
  underMasterKey(deps.keyring, "serverSecrets", SERVER_SECRETS, serverSecretContext),
];

const column = (table: string, id: string, sealed: string, where: Sql = sql`true`): SealedColumn => ({
  table: raw(table),
  id: raw(id),
  sealed: raw(sealed),
  where,
});

/** A damaged code opens with no key and must not keep an old key in use. */
const CODES = column("codes", "id", "sealed", sql`state <> 'damaged'`);
const SUPPLIER_CONFIGS = column("suppliers", "id", "sealed_config");
/** These ids are numbers, read as text like all others. */
const WEBHOOK_SECRETS = column("webhook_secrets", "id::text", "sealed");
const SECRET_PLACE: Sql = sql`, endpoint_id as "endpointId"`;
const TOTP_SECRETS = column("totp_factors", "account_id", "sealed");
/** Files that wait for their job. */
const UPLOADS = column("job_parts", "id::text", "sealed", sql`role = 'input'`);
const UPLOAD_PLACE: Sql = sql`, job_id as "jobId", number`;
const SERVER_SECRETS = column("sealed_secrets", "name", "sealed");

/** Values of vault/seal.ts, which are sealed directly under the master key. */
const underMasterKey = (
  keyring: Keyring,
  kind: SealedKind,
  column: SealedColumn,
  contextOf: (id: string) => string,
): SealedStore => ({
  kind,
  column,
  prefix: sealPrefix,
  listOutdated: async (db, page) =>
    (await listOutdated(db, { ...page, column }, empty)).map((row) => ({ ...row, place: contextOf(row.id) })),
  rewrap: (context, sealed) => reseal(keyring.masterKeys(), context, sealed),
});

type CodeRow = SealedRow & {
  productId: string;
  state: "stock" | "expired" | "withdrawn" | "delivered" | "quarantined";
  orderId: string;
  lineIndex: number;
  unitIndex: number;
};

const CODE_PLACE: Sql = sql`, product_id as "productId", state, order_id as "orderId", line_index as "lineIndex",
  unit_index as "unitIndex"`;

/** An expired or withdrawn code keeps the seal that it had in stock. */
function toPlacedCode({ id, sealed, productId, state, ...unit }: CodeRow): PlacedRow {
  switch (state) {
    case "stock":
    case "expired":
    case "withdrawn":
      return { id, sealed, place: stockPlace(id, productId) };
    case "delivered":
      return { id, sealed, place: deliveredPlace(unit, productId) };
    case "quarantined":
      return { id, sealed, place: quarantinePlace(id, unit, productId) };
  }
}
