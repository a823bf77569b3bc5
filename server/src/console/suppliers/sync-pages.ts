import { startJob } from "../../jobs/start-job.ts";
import { Problem } from "../../lib/problem.ts";
import { parseTime } from "../../lib/time.ts";
import { getSupplier } from "../../suppliers/get-supplier.ts";
import type { SupplierRow } from "../../suppliers/queries.ts";
import { costText, type SyncItem, sayLeftOut } from "../../suppliers/sync/compare-catalog.ts";
import { findSync, type StoredSync } from "../../suppliers/sync/sync-queries.ts";
import { applySync } from "../../suppliers/sync/sync-supplier.ts";
import { defineForm } from "../../web/form/define-form.ts";
import type { Field } from "../../web/form/field.ts";
import { hiddenField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { button, linkButton } from "../../web/parts/button.ts";
import { filterBar } from "../../web/parts/filter-bar.ts";
import { countText } from "../../web/parts/money.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { panel, row, stack } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { href } from "../../web/template/safe-url.ts";
import { jobPath } from "../jobs/job-rights.ts";
import { orNotFound, sayRefusal } from "../say-refusal.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace } from "../session.ts";

/** Each row sends its item and its id, and a form has at most 500 fields. */
const PER_PAGE = 100;
const ODD_SHOWN_MAX = 200;
const ID_MAX_CHARACTERS = 64;

export const syncPath = (id: string): string => `/suppliers/${id}/catalog`;

const CHANGES: Readonly<Record<SyncItem["change"], string>> = {
  new: "New",
  gone: "Gone",
  repriced: "Repriced",
};

/** It is rendered by the list, once in each row. */
const inRows = (label: string): Field<readonly string[]> => ({
  label,
  read: (given) => ({ value: given }),
  render: (name, { given }) =>
    html`${given.map((one) => html`<input type="hidden" name="${name}" value="${one}">`)}`,
});
const readForm = defineForm({});
const applyForm = defineForm({
  item: inRows("Items"),
  row: inRows("Rows"),
  productId: inRows("Product ids"),
  all: hiddenField("All"),
  change: hiddenField("Change"),
  q: hiddenField("Search"),
  seen: hiddenField("Read at"),
});

type Loaded = { supplier: SupplierRow; sync: StoredSync | undefined };
type Filter = { change: string; q: string };

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
    again: async (state, ctx) => render(await load(ctx), ctx, { error: state.formError }),
  });
  face.action({
    path: `${syncPath(":id")}/apply`,
    permission,
    form: applyForm,
    async run({ item, row: rows, productId, all, change, q, seen }, ctx) {
      const { sync } = await load(ctx);
      const items = sync?.items ?? [];
      const only = all === "yes" ? filtered(items, { change, q }).map(({ id }) => id) : item;
      if (only.length === 0) throw new Problem("invalid_request", "Select at least one item.");
      const choice = { only, renames: renamesOf(items, rows, productId), seenAt: parseTime(seen) };
      const applied = await sayRefusal(applySync(deps, idOf(ctx), choice, byOf(ctx)));
      const done = applied.new + applied.gone + applied.repriced;
      return redirect(
        href(syncPath(idOf(ctx)), { change, q }),
        applied.skipped === 0
          ? `${countText(done)} applied.`
          : `${countText(done)} applied, ${countText(applied.skipped)} had changed and were skipped.`,
      );
    },
    again: async (state, ctx) => {
      const [change = "", q = ""] = [state.typed.change?.[0], state.typed.q?.[0]];
      const typed = typedIds(state.typed.row ?? [], state.typed.productId ?? []);
      return render(await load(ctx), ctx, { error: state.formError, filter: { change, q }, typed });
    },
  });
}

/** What was typed in the rows, by their items. */
const typedIds = (rows: readonly string[], ids: readonly string[]): ReadonlyMap<string, string> =>
  new Map(rows.map((id, index) => [id, (ids[index] ?? "").trim()]));

/** Rows whose id is another than the proposed one. */
function renamesOf(items: readonly SyncItem[], rows: readonly string[], ids: readonly string[]) {
  const typed = typedIds(rows, ids);
  return new Map(
    items.flatMap((item) => {
      const id = typed.get(item.id);
      return item.change === "new" && id !== undefined && id !== item.product.id
        ? [[item.id, id] as const]
        : [];
    }),
  );
}

function filtered(items: readonly SyncItem[], { change, q }: Filter): SyncItem[] {
  const text = q.trim().toLowerCase();
  return items.filter((item) => {
    if (change !== "" && item.change !== change) return false;
    const product = item.change === "new" ? item.product : undefined;
    const texts = [item.id, item.route.productId, product?.name, product?.brand, product?.country];
    return text === "" || texts.some((one) => one?.toLowerCase().includes(text));
  });
}

type Shown = { error?: string | undefined; filter?: Filter; typed?: ReadonlyMap<string, string> };

function render({ supplier, sync }: Loaded, ctx: ConsoleContext, shown: Shown = {}): PageContent {
  const { error, typed = new Map<string, string>() } = shown;
  const filter = shown.filter ?? { change: ctx.query.change ?? "", q: ctx.query.q ?? "" };
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
          sync && html`<p>${countsText(sync)}</p>`,
          row(button("Read catalog")),
        )}</form>`,
      ),
      changesPanel(supplier.id, sync, ctx, { filter, typed }),
      sync && sync.oddCount > 0 ? oddPanel(sync) : undefined,
    ),
  };
}

/** The same counts as the command prints. */
function countsText({ items, unchanged, leftOut }: StoredSync): string {
  const count = (change: SyncItem["change"]) =>
    countText(items.filter((item) => item.change === change).length);
  const left = sayLeftOut(leftOut);
  return `${count("new")} new, ${count("gone")} gone, ${count("repriced")} repriced, ${countText(unchanged)} unchanged.${
    left === "" ? "" : ` Left out: ${left}.`
  }`;
}

function changesPanel(
  supplierId: string,
  sync: StoredSync | undefined,
  ctx: ConsoleContext,
  { filter, typed }: { filter: Filter; typed: ReadonlyMap<string, string> },
): Html {
  const path = syncPath(supplierId);
  const matching = filtered(sync?.items ?? [], filter);
  const page = /^\d{1,5}$/.test(ctx.query.cursor ?? "") ? Number(ctx.query.cursor) : 0;
  const rows = matching.slice(page * PER_PAGE, (page + 1) * PER_PAGE);
  const hasNext = matching.length > (page + 1) * PER_PAGE;
  const isFiltered = filter.change !== "" || filter.q !== "";
  const kept = { ...filter, seen: sync?.proposedAt.toISOString() ?? "" };
  return tablePanel({
    title: "Proposed changes",
    caption: "Proposed changes",
    rows,
    filters: filterBar({
      action: path,
      filters: [
        {
          kind: "select",
          name: "change",
          label: "Change",
          value: filter.change,
          options: Object.entries(CHANGES),
        },
        {
          kind: "search",
          name: "q",
          label: "Search",
          value: filter.q,
          placeholder: "Item, name, brand or id",
        },
      ],
    }),
    columns: [
      { head: "Change", cell: ({ change }) => CHANGES[change] },
      { head: "Item", cell: ({ id }) => id },
      {
        head: "Product",
        wraps: true,
        cell: (item) => (item.change === "new" ? item.product.name : item.route.productId),
      },
      { head: "Product id", cell: (item) => idCell(item, typed.get(item.id)) },
      { head: "Cost", numeric: true, cell: costText },
    ],
    empty: isFiltered
      ? emptyState("Nothing matches", "Change the filter to see other changes.")
      : sync
        ? emptyState(
            "Nothing to change",
            "Your routes agree with the catalog that was read. A new product is sold once it has a price.",
            linkButton("Prices", "/prices"),
          )
        : emptyState("Nothing to change", "Read the catalog to compare it with your routes."),
    aside:
      matching.length > 0
        ? `${countText(matching.length)} ${matching.length === 1 ? "change" : "changes"}`
        : undefined,
    selection: {
      name: "item",
      value: ({ id }: SyncItem) => id,
      label: ({ id }: SyncItem) => `Select ${id}`,
    },
    bulk: {
      action: `${path}/apply`,
      hidden: html`${ctx.hidden()}${Object.entries(kept).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
      )}`,
      actions: html`${button("Apply selected")} ${button(
        `Apply all ${countText(matching.length)}${isFiltered ? " that match" : ""}`,
        { name: "all", value: "yes" },
      )}`,
    },
    ...(page > 0 || hasNext
      ? {
          pages: {
            path: href(path, filter),
            hasFirst: page > 0,
            next: hasNext ? String(page + 1) : undefined,
            shown: `${countText(page * PER_PAGE + 1)} to ${countText(page * PER_PAGE + rows.length)} of ${countText(matching.length)}`,
          },
        }
      : {}),
  });
}

/** Resellers see the id, and it never changes, so it can be chosen before the product exists. */
function idCell(item: SyncItem, typed: string | undefined): HtmlValue {
  if (item.change !== "new")
    return html`<a class="link" href="/products/${item.route.productId}">${item.route.productId}</a>`;
  if (item.isKnown)
    return html`<a class="link" href="/products/${item.product.id}">${item.product.id}</a>, in your catalog`;
  return html`<input type="hidden" name="row" value="${item.id}"><input class="code" type="text" name="productId" value="${
    typed ?? item.product.id
  }" maxlength="${ID_MAX_CHARACTERS}" size="24" autocomplete="off" spellcheck="false" aria-label="${`Id of ${item.id}`}">`;
}

const oddPanel = ({ odd, oddCount }: StoredSync): Html =>
  tablePanel({
    title: "Could not be taken",
    caption: "Rows of the catalog that could not be taken",
    aside:
      oddCount > Math.min(odd.length, ODD_SHOWN_MAX)
        ? `the first ${countText(ODD_SHOWN_MAX)} of ${countText(oddCount)}`
        : "their routes stay as they are",
    rows: odd.slice(0, ODD_SHOWN_MAX),
    columns: [
      { head: "Item", cell: ({ number }) => number ?? "–" },
      { head: "Field", cell: ({ field }) => field },
      { head: "Reason", wraps: true, cell: ({ reason }) => reason },
    ],
    empty: emptyState("Nothing", "Every row could be taken."),
  });
