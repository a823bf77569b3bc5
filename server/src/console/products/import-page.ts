import { startJob } from "../../jobs/start-job.ts";
import { Problem } from "../../lib/problem.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { fileField } from "../../web/form/file-field.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { panel } from "../../web/parts/panel.ts";
import { jobPath } from "../jobs/job-rights.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace } from "../session.ts";

const importForm = defineForm({ file: fileField({ label: "File", required: true, accept: ".csv,.json" }) });

/** Imports begin with a preview: nothing changes before a person has seen it and confirmed. */
export function importPages(face: ConsoleFace, deps: ConsoleDeps): void {
  addImport(face, deps, {
    path: "/products/import",
    permission: "products.manage",
    kind: "import_catalog",
    title: "Import products",
    hint: "CSV or JSON, as the export has it. Products that are not in the file stay as they are.",
  });
  addImport(face, deps, {
    path: "/products/import-prices",
    permission: "prices.edit",
    kind: "import_prices",
    title: "Import prices",
    hint: "CSV with the columns product,list,reseller,currency,amount,strike. Prices that are not in the file stay as they are.",
  });
}

type Import = {
  path: string;
  permission: "products.manage" | "prices.edit";
  kind: "import_catalog" | "import_prices";
  title: string;
  hint: string;
};

function addImport(face: ConsoleFace, deps: ConsoleDeps, what: Import): void {
  const { path, permission, kind } = what;
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

const renderImport = ({ path, title, hint }: Import, state: FormState, ctx: ConsoleContext): PageContent => ({
  title,
  crumbs: [{ label: "Products", href: "/products" }],
  subtitle: `${hint} You see what will change before anything does.`,
  body: panel(
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
});
