import { Problem } from "../../lib/problem.ts";
import { sayOdd } from "../../suppliers/calls/checked-reading.ts";
import { testSupplier } from "../../suppliers/calls/test-supplier.ts";
import { changeSupplier } from "../../suppliers/change-supplier.ts";
import { getSupplier } from "../../suppliers/get-supplier.ts";
import type { SupplierRow } from "../../suppliers/queries.ts";
import { REMOTE_KINDS } from "../../suppliers/registry.ts";
import type { RemoteKind } from "../../suppliers/supplier-kind.ts";
import { checkboxField } from "../../web/form/choice-fields.ts";
import { defineForm, type Fields, type Form, type FormState } from "../../web/form/define-form.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { moneyText } from "../../web/parts/money.ts";
import { panel } from "../../web/parts/panel.ts";
import { html } from "../../web/template/html.ts";
import { orNotFound, sayRefusal } from "../say-refusal.ts";
import {
  byOf,
  type ConsoleContext,
  type ConsoleDeps,
  type ConsoleFace,
  isProved,
  provedBy,
} from "../session.ts";
import { configFields, readConfig } from "./config-form.ts";

const PROVE_AGAIN = "Confirm that it is you, then enter the config again. Nothing was changed.";

export const configPath = (id: string, kind: string): string => `/suppliers/${id}/config/${kind}`;

/** A new config in place of the old one, a form for each kind that has one; and a look whether it works. */
export function configPages(
  face: ConsoleFace,
  deps: ConsoleDeps,
  showSupplier: (ctx: ConsoleContext, error?: string) => Promise<PageContent>,
): void {
  for (const kind of REMOTE_KINDS) replacePages(face, deps, kind);
  face.action({
    path: "/suppliers/:id/test",
    permission: "suppliers.manage",
    form: defineForm({}),
    async run(_values, ctx) {
      const id = ctx.params.id ?? "";
      const { ok, balance, odd = [], reason = "" } = await sayRefusal(testSupplier(deps, id));
      if (!ok) throw new Problem("invalid_request", `The connection does not work: ${reason}.`);
      const told = balance ? ` The balance is ${moneyText(BigInt(balance.amount), balance.currency)}.` : "";
      const unread = odd[0] ? ` Another balance could not be read: ${sayOdd(odd[0])}.` : "";
      return redirect(`/suppliers/${id}`, `The connection works.${told}${unread}`);
    },
    again: (state, ctx) => showSupplier(ctx, state.formError),
  });
}

function replacePages(face: ConsoleFace, deps: ConsoleDeps, kind: RemoteKind): void {
  const path = configPath(":id", kind.kind);
  const form: Form<Fields> = defineForm({
    ...configFields(kind),
    isSameAccount: checkboxField({
      label: "The same account at the supplier",
      hint: "Tick it only if the new config buys from the account of the old one. Purchases without an outcome are looked up there.",
    }),
  });
  const load = async (ctx: ConsoleContext): Promise<SupplierRow> => {
    const row = await orNotFound(getSupplier(deps.db, ctx.params.id ?? ""));
    return orNotFound(
      row.kind === kind.kind ? Promise.resolve(row) : Promise.reject(new RangeError("another kind")),
    );
  };
  face.page({
    path,
    permission: "suppliers.manage",
    load: async (ctx) => {
      // Proof comes before the form, so that no secret has to wait in a page for it.
      provedBy(ctx);
      return load(ctx);
    },
    render: (supplier, ctx) => render(supplier, form, form.start(), ctx),
  });
  face.action({
    path,
    permission: "suppliers.manage",
    form,
    async run(values, ctx) {
      const { id } = await load(ctx);
      if (!isProved(ctx)) return redirect(configPath(id, kind.kind), PROVE_AGAIN);
      const typed: Readonly<Record<string, unknown>> = values;
      const change = {
        ...{ name: undefined, ratePerSecond: undefined },
        config: readConfig(kind, typed),
        isSameAccount: typed.isSameAccount === true,
      };
      await sayRefusal(changeSupplier(deps, id, change, { clock: deps.clock, by: byOf(ctx) }));
      return redirect(`/suppliers/${id}`, "The config was replaced. It takes effect with the next call.");
    },
    again: async (state, ctx) => render(await load(ctx), form, state, ctx),
  });
}

const render = (
  supplier: SupplierRow,
  form: Form<Fields>,
  state: FormState,
  ctx: ConsoleContext,
): PageContent => ({
  title: `Replace the config of ${supplier.name}`,
  crumbs: [
    { label: "Suppliers", href: "/suppliers" },
    { label: supplier.name, href: `/suppliers/${supplier.id}` },
  ],
  body: panel(
    {},
    form.render({
      action: configPath(supplier.id, supplier.kind),
      hidden: ctx.hidden(),
      state,
      submit: "Replace config",
      cancelHref: `/suppliers/${supplier.id}`,
      note: html`<p class="quiet">The new config replaces the whole old one. It is sealed and never shown again. Another account is refused while purchases have no outcome: they would be bought a second time.</p>`,
      id: "config",
    }),
  ),
});
