import { startJob } from "../../jobs/start-job.ts";
import { Problem } from "../../lib/problem.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { fileField } from "../../web/form/file-field.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { panel, stack } from "../../web/parts/panel.ts";
import { columnsPanel, type ImportColumn, templatePage } from "../jobs/import-columns.ts";
import { jobPath } from "../jobs/job-rights.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace } from "../session.ts";
import { PRICE_FILE, PRODUCT_FILE } from "./product-columns.ts";

const importForm = defineForm({ file: fileField({ label: "File", required: true, accept: ".csv,.json" }) });

/** Imports begin with a preview: nothing changes before a person has seen it and confirmed. */
export function importPages(face: ConsoleFace, deps: ConsoleDeps): void {
  addImport(face, deps, {
    path: "/products/import",
    permission: "products.manage",
    kind: "import_catalog",
    title: "Import products",
    hint: "CSV or JSON, as the export has it. Products that are not in the file stay as they are.",
    columns: PRODUCT_FILE,
  });
  addImport(face, deps, {
    path: "/products/import-prices",
    permission: "prices.edit",
    kind: "import_prices",
    title: "Import prices",
    hint: "A CSV file. Prices that are not in the file stay as they are.",
    columns: PRICE_FILE,
  });
}

type Import = {
  path: string;
  permission: "products.manage" | "prices.edit";
  kind: "import_catalog" | "import_prices";
  title: string;
  hint: string;
  columns: readonly ImportColumn[];
};

function addImport(face: ConsoleFace, deps: ConsoleDeps, what: Import): void {
  const { path, permission, kind } = what;
  templatePage(face, what);
  face.page({
    path,
    permission,
    load: async () => importForm.start(),
    render: (state, ctx) => renderImport(what, state, ctx),
  });
  face.action({
    path,
    permission,
    form: importForm,
    takesFiles: true,
    run: async (_values, ctx) => {
      const id = await startJob(deps, { kind, params: { preview: true }, input: fileOf(ctx) }, byOf(ctx));
      return redirect(jobPath(id), "The file is being read. Nothing has changed yet.");
    },
    again: async (state, ctx) => renderImport(what, state, ctx),
  });
}

/** The file of a form, or a sentence at its field. */
export function fileOf(ctx: ConsoleContext): Uint8Array {
  const file = ctx.files.get("file");
  if (file) return file;
  const detail = "Choose a file.";
  throw new Problem("invalid_request", detail, { errors: [{ pointer: "/file", code: "required", detail }] });
}

const renderImport = (
  { path, title, hint, columns }: Import,
  state: FormState,
  ctx: ConsoleContext,
): PageContent => ({
  title,
  crumbs: [{ label: "Products", href: "/products" }],
  subtitle: `${hint} You see what will change, and the rows with faults, before anything changes.`,
  body: stack(
    panel(
      {},
      importForm.render({
        action: path,
        hidden: ctx.hidden(),
        state,
        submit: "Show what will change",
        cancelHref: "/products",
        takesFiles: true,
      }),
    ),
    columnsPanel(columns, path),
  ),
});
