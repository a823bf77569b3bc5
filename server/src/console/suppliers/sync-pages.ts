import { startJob } from "../../jobs/start-job.ts";
import { getSupplier } from "../../suppliers/get-supplier.ts";
import type { SupplierRow } from "../../suppliers/queries.ts";
import type { SyncItem } from "../../suppliers/sync/compare-catalog.ts";
import { findSync } from "../../suppliers/sync/sync-queries.ts";
import { applySync } from "../../suppliers/sync/sync-supplier.ts";
import { defineForm } from "../../web/form/define-form.ts";
import type { Field } from "../../web/form/field.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { button } from "../../web/parts/button.ts";
import { countText } from "../../web/parts/money.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { panel, row, stack } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { html } from "../../web/template/html.ts";
import { jobPath } from "../jobs/job-rights.ts";
import { orNotFound, sayRefusal } from "../say-refusal.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace } from "../session.ts";

/** More are applied with the command. */
const SHOWN_MAX = 500;

export const syncPath = (id: string): string => `/suppliers/${id}/catalog`;

const itemsField: Field<readonly string[]> = {
  label: "Items",
  read: (given) => (given.length > 0 ? { value: given } : { error: "Select at least one item." }),
  render: () => {
    throw new Error("it is rendered by the list");
  },
};
const readForm = defineForm({});
const applyForm = defineForm({ item: itemsField });

type Loaded = { supplier: SupplierRow; sync: Awaited<ReturnType<typeof findSync>> };

/** The supplier's catalog held against the routes. A person chooses what is applied. */
export function syncPages(face: ConsoleFace, deps: ConsoleDeps): void {
  const idOf = (ctx: ConsoleContext): string => ctx.params.id ?? "";
  const load = async (ctx: ConsoleContext): Promise<Loaded> => ({
    supplier: await orNotFound(getSupplier(deps.db, idOf(ctx))),
    sync: await findSync(deps.db, idOf(ctx)),
  });
  const permission = "suppliers.manage" as const;
  face.page({ path: syncPath(":id"), permission, load, render: (loaded, ctx) => render(loaded, ctx) });
  face.action({
    path: `${syncPath(":id")}/read`,
    permission,
    form: readForm,
    async run(_values, ctx) {
      await orNotFound(getSupplier(deps.db, idOf(ctx)));
      const params = { supplierId: idOf(ctx) };
      const id = await startJob(deps, { kind: "sync_catalog", params }, byOf(ctx));
      return redirect(jobPath(id), "The catalog is being read. Nothing changes until you apply it.");
    },
    again: async (state, ctx) => render(await load(ctx), ctx, state.formError),
  });
  face.action({
    path: `${syncPath(":id")}/apply`,
    permission,
    form: applyForm,
    async run({ item }, ctx) {
      const applied = await sayRefusal(applySync(deps, idOf(ctx), item, byOf(ctx)));
      const done = applied.new + applied.gone + applied.repriced;
      return redirect(
        syncPath(idOf(ctx)),
        `${countText(done)} applied, ${countText(applied.skipped)} had changed and were skipped.`,
      );
    },
    again: async (state, ctx) => render(await load(ctx), ctx, state.formError ?? "Select at least one item."),
  });
}

const CHANGES: Readonly<Record<SyncItem["change"], string>> = {
  new: "New",
  gone: "Gone",
  repriced: "Repriced",
};

const costText = (item: SyncItem): string => {
  const next = `${item.route.cost ?? ""} ${item.route.currency ?? ""}`.trim();
  return item.change === "repriced" ? `${item.was.cost ?? "unknown"} → ${next}` : next;
};

function render({ supplier, sync }: Loaded, ctx: ConsoleContext, error?: string): PageContent {
  const items = sync?.items ?? [];
  return {
    title: `Catalog of ${supplier.name}`,
    crumbs: [
      { label: "Suppliers", href: "/suppliers" },
      { label: supplier.name, href: `/suppliers/${supplier.id}` },
    ],
    body: stack(
      error === undefined ? undefined : notice("bad", error),
      panel(
        { title: "Compare" },
        html`<form method="post" action="${`${syncPath(supplier.id)}/read`}">${ctx.hidden()}${stack(
          html`<p>Reads the supplier's catalog and proposes what to change here. Nothing changes until you apply it.${
            sync ? html` Last read ${time(sync.proposedAt, ctx.now)}.` : undefined
          }</p>`,
          row(button("Read catalog")),
        )}</form>`,
      ),
      tablePanel({
        title: "Proposed changes",
        caption: "Proposed changes",
        rows: items.slice(0, SHOWN_MAX),
        columns: [
          { head: "Change", cell: ({ change }) => CHANGES[change] },
          { head: "Item", cell: ({ id }) => id },
          {
            head: "Product",
            cell: (item) => (item.change === "new" ? item.product.name : item.route.productId),
          },
          { head: "Cost", numeric: true, cell: costText },
        ],
        empty: emptyState("Nothing to change", "Read the catalog to compare it with your routes."),
        ...(items.length > SHOWN_MAX
          ? { aside: `the first ${countText(SHOWN_MAX)} of ${countText(items.length)}` }
          : {}),
        selection: {
          name: "item",
          value: ({ id }: SyncItem) => id,
          label: ({ id }: SyncItem) => `Select ${id}`,
        },
        bulk: {
          action: `${syncPath(supplier.id)}/apply`,
          hidden: ctx.hidden(),
          actions: button("Apply selected"),
        },
      }),
    ),
  };
}
