import { namePeople } from "../../accounts/people/name-people.ts";
import { listAlerts } from "../../alerts/list-alerts.ts";
import { findCatalogProduct } from "../../catalog/product-queries.ts";
import type { JobParams } from "../../jobs/job-kind.ts";
import { listJobs } from "../../jobs/list-jobs.ts";
import { startJob } from "../../jobs/start-job.ts";
import { Problem } from "../../lib/problem.ts";
import { listStock } from "../../suppliers/stock/list-stock.ts";
import { findStockTarget } from "../../suppliers/stock/stock-target.ts";
import type { FormState } from "../../web/form/define-form.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { templatePage } from "../jobs/import-columns.ts";
import { jobPath } from "../jobs/job-rights.ts";
import { fileOf } from "../products/import-page.ts";
import { sayRefusal } from "../say-refusal.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace } from "../session.ts";
import { renderStockImport, STOCK_FILE, stockForm } from "./render-import.ts";
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
    load: (ctx) => startImport(deps, ctx.query.product ?? ""),
    render: (state, ctx) => renderStockImport(state, ctx),
  });
  templatePage(face, { path: "/stock/import", permission: "stock.manage", columns: STOCK_FILE });
  face.action({
    path: "/stock/import",
    permission: "stock.manage",
    form: stockForm,
    takesFiles: true,
    run: async ({ productId, supplierId, cost, currency }, ctx) => {
      const input = fileOf(ctx);
      const given = { productId, supplierId: supplierId || undefined, cost: cost || undefined };
      const target = { ...given, currency: cost === "" ? undefined : currency || undefined };
      await assertProduct(deps, productId);
      await sayRefusal(findStockTarget(deps.db, target), STOCK_OPTIONS);
      const { kind, params } = { kind: "import_stock", params: { ...target, preview: true } } as const;
      const id = await startJob(deps, { kind, params: withoutAbsent(params), input }, byOf(ctx));
      return redirect(
        jobPath(id),
        "The import has started. Nothing has changed yet. The file is sealed, and erased when it has ended.",
      );
    },
    again: async (state, ctx) => renderStockImport(state, ctx),
  });
}

const STOCK_OPTIONS = {
  "--cost": { name: "cost", label: "Cost of one code" },
  "--currency": { name: "currency", label: "Currency of the cost" },
  "--supplier": { name: "supplierId", label: "Supplier" },
};

const withoutAbsent = (params: Readonly<Record<string, string | boolean | undefined>>): JobParams =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined)) as JobParams;

/** The currency is there before a cost is typed, so that nobody has to guess it. */
async function startImport({ db }: ConsoleDeps, productId: string): Promise<FormState> {
  const product = productId === "" ? undefined : await findCatalogProduct(db, productId);
  if (!product) return stockForm.start({ productId });
  const [stocked] = (await listStock(db, { productId, after: "", limit: 1, now: new Date(0) })).data;
  return stockForm.start({ productId, currency: stocked?.costCurrency ?? product.faceValue.currency });
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
