import type { JobKind } from "./job-kind.ts";
import { auditJob } from "./kinds/audit-job.ts";
import { exportOrdersJob } from "./kinds/export-orders-job.ts";
import { importCatalogJob } from "./kinds/import-catalog-job.ts";
import { importDepositsJob } from "./kinds/import-deposits-job.ts";
import { importPricesJob } from "./kinds/import-prices-job.ts";
import { importStockJob } from "./kinds/import-stock-job.ts";
import { reconcileSupplierJob } from "./kinds/reconcile-supplier-job.ts";
import { recoverEventsJob } from "./kinds/recover-events-job.ts";
import { rotateVaultJob } from "./kinds/rotate-vault-job.ts";
import { syncCatalogJob } from "./kinds/sync-catalog-job.ts";

/** Every kind of job. Names are stored and never change. */
export const JOB_KINDS = {
  import_catalog: importCatalogJob,
  import_deposits: importDepositsJob,
  import_prices: importPricesJob,
  import_stock: importStockJob,
  recover_events: recoverEventsJob,
  audit: auditJob,
  rotate_vault: rotateVaultJob,
  export_orders: exportOrdersJob,
  sync_catalog: syncCatalogJob,
  reconcile_supplier: reconcileSupplierJob,
} as const satisfies Record<string, JobKind>;

export type JobKindName = keyof typeof JOB_KINDS;

/** Undefined for a kind that only a newer version knows. */
export const findJobKind = (name: string): JobKind | undefined =>
  Object.hasOwn(JOB_KINDS, name) ? JOB_KINDS[name as JobKindName] : undefined;
