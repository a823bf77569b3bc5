import { namePeople } from "../../accounts/people/name-people.ts";
import { listAlerts } from "../../alerts/list-alerts.ts";
import { findCatalogProduct } from "../../catalog/product-queries.ts";
import { listJobs } from "../../jobs/list-jobs.ts";
import { startJob } from "../../jobs/start-job.ts";
import { Problem } from "../../lib/problem.ts";
import { listStock } from "../../suppliers/stock/list-stock.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { jobPath } from "../jobs/job-rights.ts";
import { fileOf } from "../products/import-page.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace } from "../session.ts";
import { renderStockImport, stockForm } from "./render-import.ts";
import { renderStock, type StockData } from "./render-stock.ts";

const PER_PAGE = 50;
const IMPORTS_SHOWN = 20;

/** Codes that are sold from stock: how many, until when, and how they came. No page ever shows one. */
export function stockPages(face: ConsoleFace, deps: ConsoleDeps): void {
  face.page({
    path: "/stock",
    permission: "stock.read",
    load: (ctx) => loadStock(deps, ctx),
    render: renderStock,
  });
  face.page({
    path: "/stock/import",
    permission: "stock.manage",
    load: async (ctx) => stockForm.start({ productId: ctx.query.product ?? "" }),
    render: (state, ctx) => renderStockImport(state, ctx),
  });
  face.action({
    path: "/stock/import",
    permission: "stock.manage",
    form: stockForm,
    takesFiles: true,
    run: async ({ productId, supplierId, cost }, ctx) => {
      const input = fileOf(ctx);
      await assertProduct(deps, productId);
      const params = { productId, supplierId: supplierId || null, cost: cost || null };
      const id = await startJob(deps, { kind: "import_stock", params, input }, byOf(ctx));
      return redirect(
        jobPath(id),
        "The import has started. The file is sealed, and erased when it has ended.",
      );
    },
    again: async (state, ctx) => renderStockImport(state, ctx),
  });
}

async function assertProduct({ db }: ConsoleDeps, productId: string): Promise<void> {
  if (await findCatalogProduct(db, productId)) return;
  const detail = `There is no product ${productId}.`;
  throw new Problem("invalid_request", detail, {
    errors: [{ pointer: "/productId", code: "unknown", detail }],
  });
}

async function loadStock({ db, clock }: ConsoleDeps, ctx: ConsoleContext): Promise<StockData> {
  const now = clock.now();
  const stock = await listStock(db, { after: ctx.query.cursor ?? "", limit: PER_PAGE, now });
  const imports = (await listJobs(db, { kinds: ["import_stock"], limit: IMPORTS_SHOWN })).data;
  const { open } = await listAlerts(db, now);
  return {
    ...stock,
    imports,
    emails: await namePeople(
      db,
      { kind: "staff" },
      imports.map(({ actorId }) => actorId),
    ),
    low: new Set(open.filter(({ kind }) => kind === "stock_low").map(({ subject }) => subject)),
  };
}
