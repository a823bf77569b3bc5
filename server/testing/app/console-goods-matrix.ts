import type { StaffRole } from "../../src/accounts/permissions.ts";
import { cancelJob } from "../../src/jobs/change-job.ts";
import { startJob } from "../../src/jobs/start-job.ts";
import { reconcileSupplier } from "../../src/suppliers/reconcile/reconcile-supplier.ts";
import { KIND_NAMES, REMOTE_KINDS } from "../../src/suppliers/registry.ts";
import { addProducts } from "../builders/builders.ts";
import { addSupplierRow } from "../builders/supply-builders.ts";
import type { openConsoleDesk } from "../people/console-desk.ts";
import { COMMAND } from "../people/people-desk.ts";

export type GoodsFixtures = {
  productId: string;
  supplierId: string;
  jobId: string;
  reconciliationId: string;
};

/** A row of the console's matrix that is about these objects. */
type GoodsRow = {
  roles: "all" | readonly StaffRole[];
  ids?: (fixtures: GoodsFixtures) => Readonly<Record<string, string>>;
  fields?: Readonly<Record<string, string>>;
};

const CATALOG = ["admin", "catalog"] as const;
const FINANCE = ["admin", "finance"] as const;
const product = ({ productId }: GoodsFixtures) => ({ id: productId });
const supplier = ({ supplierId }: GoodsFixtures) => ({ id: supplierId });

/** Products, suppliers, stock, alerts and jobs. */
export const GOODS_MATRIX: Readonly<Record<string, GoodsRow>> = {
  // products
  "GET /products": { roles: "all" },
  "GET /products.csv": { roles: "all" },
  "GET /products/import": { roles: ["admin", "catalog"] },
  "GET /products/import/template": { roles: ["admin", "catalog"] },
  "POST /products/import": { roles: ["admin", "catalog"] },
  "GET /products/import-prices": { roles: ["admin", "finance", "catalog"] },
  "GET /products/import-prices/template": { roles: ["admin", "finance", "catalog"] },
  "POST /products/import-prices": { roles: ["admin", "finance", "catalog"] },
  "GET /products/:id": { roles: "all", ids: ({ productId }) => ({ id: productId }) },
  "GET /products/:id/edit": { roles: ["admin", "catalog"], ids: ({ productId }) => ({ id: productId }) },
  "POST /products/:id/edit": { roles: ["admin", "catalog"], ids: ({ productId }) => ({ id: productId }) },
  "POST /products/:id/hidden": { roles: ["admin", "catalog"], ids: ({ productId }) => ({ id: productId }) },
  "POST /products/:id/listing": { roles: ["admin", "catalog"], ids: ({ productId }) => ({ id: productId }) },
  // prices
  "GET /prices": { roles: "all" },
  "GET /not-for-sale": { roles: "all" },
  "GET /not-for-sale.csv": { roles: "all" },
  "POST /prices/publish": { roles: ["admin", "finance"], fields: { id: "", upTo: "0" } },
  "POST /prices/rates": { roles: FINANCE },
  "POST /prices/rules": { roles: ["admin", "finance", "catalog"] },
  "POST /prices/rules/remove": { roles: ["admin", "finance", "catalog"] },
  // suppliers
  "GET /products/:id/routes": { roles: CATALOG, ids: product },
  "POST /products/:id/routes": { roles: CATALOG, ids: product },
  "POST /products/:id/routes/remove": { roles: CATALOG, ids: product },
  "POST /products/:id/routes/enable": { roles: CATALOG, ids: product, fields: { id: "missing" } },
  "GET /suppliers": { roles: "all" },
  "GET /suppliers/new": { roles: CATALOG },
  // Each kind of the registry has its forms.
  ...Object.fromEntries(
    KIND_NAMES.flatMap((kind) =>
      ["GET", "POST"].map((method) => [`${method} /suppliers/new/${kind}`, { roles: CATALOG }]),
    ),
  ),
  ...Object.fromEntries(
    REMOTE_KINDS.flatMap(({ kind }) =>
      ["GET", "POST"].map((method) => [
        `${method} /suppliers/:id/config/${kind}`,
        { roles: CATALOG, ids: supplier },
      ]),
    ),
  ),
  "POST /suppliers/:id/test": { roles: CATALOG, ids: supplier },
  "GET /suppliers/:id/catalog": { roles: CATALOG, ids: supplier },
  "POST /suppliers/:id/catalog/read": { roles: CATALOG, ids: supplier },
  "POST /suppliers/:id/catalog/apply": { roles: CATALOG, ids: supplier },
  "GET /suppliers/:id/reconcile": { roles: FINANCE, ids: supplier },
  "POST /suppliers/:id/reconcile": { roles: FINANCE, ids: supplier },
  "POST /suppliers/:id/reconcile/file": { roles: FINANCE, ids: supplier },
  "GET /reconciliations": { roles: FINANCE },
  "GET /reconciliations/:id": { roles: FINANCE, ids: ({ reconciliationId }) => ({ id: reconciliationId }) },
  "GET /reconciliations/:id/findings.csv": {
    roles: FINANCE,
    ids: ({ reconciliationId }) => ({ id: reconciliationId }),
  },
  "GET /suppliers/:id": { roles: "all", ids: ({ supplierId }) => ({ id: supplierId }) },
  "POST /suppliers/:id/state": { roles: ["admin", "catalog"], ids: ({ supplierId }) => ({ id: supplierId }) },
  "POST /suppliers/:id/routes/enable": { roles: CATALOG, ids: supplier, fields: { id: "missing" } },
  "POST /suppliers/:id/price-limits": { roles: CATALOG, ids: supplier, fields: { headroom: "a lot" } },
  "POST /suppliers/:id/balance-alert": {
    roles: ["admin", "catalog"],
    ids: ({ supplierId }) => ({ id: supplierId }),
    fields: { amount: "not an amount" },
  },
  "POST /suppliers/:id/not-found": {
    roles: ["admin", "catalog"],
    ids: ({ supplierId }) => ({ id: supplierId }),
    fields: { notFoundTimes: "5", notFoundOver: "soon", resendAfter: "0", notMadePerHour: "5" },
  },
  // stock
  "GET /stock": { roles: "all" },
  "GET /stock/import": { roles: ["admin", "catalog"] },
  "GET /stock/import/template": { roles: ["admin", "catalog"] },
  "POST /stock/import": { roles: ["admin", "catalog"] },
  // alerts
  "GET /alerts": { roles: "all" },
  "GET /guide": { roles: "all" },
  "POST /alerts/:id/ack": { roles: ["admin", "finance", "support", "catalog"] },
  "POST /alerts/letters": { roles: "all" },
  // jobs; everyone cancels their own, and an admin any
  "GET /jobs": { roles: "all" },
  "GET /jobs/export": { roles: "all" },
  "POST /jobs/export": { roles: "all" },
  "GET /jobs/:id": { roles: "all", ids: ({ jobId }) => ({ id: jobId }) },
  "GET /jobs/:id/result": { roles: "all", ids: ({ jobId }) => ({ id: jobId }) },
  "POST /jobs/:id/cancel": { roles: ["admin"], ids: ({ jobId }) => ({ id: jobId }) },
  "POST /jobs/:id/confirm": { roles: ["admin", "catalog"], ids: ({ jobId }) => ({ id: jobId }) },
  "POST /jobs/audit": { roles: ["admin"] },
  "POST /jobs/rotate-vault": { roles: ["admin"] },
};

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

export async function makeGoodsFixtures(
  desk: Awaited<ReturnType<typeof openConsoleDesk>>,
): Promise<GoodsFixtures> {
  await addProducts(desk.db, [{ id: "goods-card" }]);
  const supplierId = await addSupplierRow(desk.db);
  // Ended, so that it can be neither cancelled nor confirmed.
  const jobId = await startJob(desk, { kind: "audit", params: {} }, COMMAND);
  await cancelJob(desk, jobId, COMMAND);
  const file = bytesOf("reference,id,amount,currency\nord_other.0.0.1,7,0.92,USD\n");
  const period = { from: new Date("2026-01-01T00:00:00Z"), to: new Date("2026-02-01T00:00:00Z") };
  const { id: reconciliationId } = await reconcileSupplier(
    desk,
    supplierId,
    { file, ...period },
    COMMAND.actor,
  );
  return { productId: "goods-card", supplierId, jobId, reconciliationId };
}
