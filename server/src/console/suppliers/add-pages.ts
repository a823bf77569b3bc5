import { addSupplier } from "../../suppliers/add-supplier.ts";
import { SUPPLIER_KINDS } from "../../suppliers/registry.ts";
import { RATE_PER_SECOND_DEFAULT, RATE_PER_SECOND_MAX } from "../../suppliers/store-supplier.ts";
import type { SupplierKind } from "../../suppliers/supplier-kind.ts";
import { defineForm, type Fields, type Form, type FormState } from "../../web/form/define-form.ts";
import { numberField } from "../../web/form/number-fields.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { notice } from "../../web/parts/notice.ts";
import { panel, stack } from "../../web/parts/panel.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { html } from "../../web/template/html.ts";
import { sayRefusal } from "../say-refusal.ts";
import {
  byOf,
  type ConsoleContext,
  type ConsoleDeps,
  type ConsoleFace,
  isProved,
  provedBy,
} from "../session.ts";
import { configFields, readConfig } from "./config-form.ts";
import { kindName } from "./kind-name.ts";

export const addPath = (kind: string): string => `/suppliers/new/${kind}`;
const SUPPLIERS = { label: "Suppliers", href: "/suppliers" };
const PROVE_AGAIN = "Confirm that it is you, then enter the config again. Nothing was stored.";

/** One form for each kind of the registry. */
export function addPages(face: ConsoleFace, deps: ConsoleDeps): void {
  face.page({
    path: "/suppliers/new",
    permission: "suppliers.manage",
    load: async () => SUPPLIER_KINDS,
    render: renderKinds,
  });
  for (const kind of SUPPLIER_KINDS) addKindPages(face, deps, kind);
}

function addKindPages(face: ConsoleFace, deps: ConsoleDeps, kind: SupplierKind): void {
  const form = formOf(kind);
  const path = addPath(kind.kind);
  face.page({
    path,
    permission: "suppliers.manage",
    // Proof comes before the form, so that no secret has to wait in a page for it.
    load: async (ctx) => provedBy(ctx),
    render: (_by, ctx) => render(kind, form, form.start({ rate: String(RATE_PER_SECOND_DEFAULT) }), ctx),
  });
  face.action({
    path,
    permission: "suppliers.manage",
    form,
    once: true,
    async run(values, ctx) {
      if (!isProved(ctx)) return redirect(path, PROVE_AGAIN);
      const typed: Readonly<Record<string, unknown>> = values;
      const { id, name } = await sayRefusal(
        addSupplier(
          deps,
          {
            kind: kind.kind,
            name: String(typed.name),
            ratePerSecond: Number(typed.rate ?? RATE_PER_SECOND_DEFAULT),
            config: kind.hasOwnStock ? undefined : readConfig(kind, typed),
          },
          byOf(ctx),
        ),
      );
      return redirect(`/suppliers/${id}`, `${name} was added. ${nextStep(kind)}`);
    },
    again: async (state, ctx) => render(kind, form, state, ctx),
  });
}

function nextStep(kind: SupplierKind): string {
  if (kind.hasOwnStock) return "Import codes next.";
  return kind.canSyncCatalog
    ? "Test the connection next, then read its catalog."
    : "Test the connection next, then add routes on the pages of products.";
}

const formOf = (kind: SupplierKind): Form<Fields> =>
  defineForm({
    name: textField({ label: "Name", required: true, hint: "For the staff. Resellers never see it." }),
    rate: numberField({
      label: "Purchases per second",
      min: 1,
      max: RATE_PER_SECOND_MAX,
      hint: "At most. Ask the supplier for its limit.",
    }),
    ...(kind.hasOwnStock ? {} : configFields(kind)),
  });

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const renderKinds = (kinds: readonly SupplierKind[]): PageContent => ({
  title: "Add a supplier",
  crumbs: [SUPPLIERS],
  body: tablePanel({
    caption: "Kinds of suppliers",
    rows: kinds,
    columns: [
      {
        head: "Kind",
        cell: ({ kind }) => html`<a class="link" href="${addPath(kind)}">${capitalised(kindName(kind))}</a>`,
      },
      { head: "What it does", wraps: true, cell: ({ does }) => does },
    ],
    empty: html`<p>There are no kinds.</p>`,
  }),
});

const render = (
  kind: SupplierKind,
  form: Form<Fields>,
  state: FormState,
  ctx: ConsoleContext,
): PageContent => ({
  title: `Add a ${kindName(kind.kind)} supplier`,
  subtitle: `It ${kind.does}.`,
  crumbs: [SUPPLIERS, { label: "Add", href: "/suppliers/new" }],
  body: stack(
    kind.hasOwnStock
      ? undefined
      : notice(
          "quiet",
          "The config is sealed",
          "It is never shown again. Nothing is bought before a route leads here.",
        ),
    panel(
      {},
      form.render({
        action: addPath(kind.kind),
        hidden: ctx.hidden({ once: true }),
        state,
        submit: "Add supplier",
        cancelHref: "/suppliers",
        id: "supplier",
      }),
    ),
  ),
});
