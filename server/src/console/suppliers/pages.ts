import { setEnabled } from "../../suppliers/enable-supplier.ts";
import { listSupplierSummaries } from "../../suppliers/health-queries.ts";
import { setLowBalance } from "../../suppliers/read-balances.ts";
import { getSupplierDetails } from "../../suppliers/supplier-health.ts";
import { radioField } from "../../web/form/choice-fields.ts";
import { defineForm } from "../../web/form/define-form.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { orNotFound, sayRefusal } from "../say-refusal.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace } from "../session.ts";
import { addPages } from "./add-pages.ts";
import { configPages } from "./config-pages.ts";
import { priceLimitPages } from "./price-limits.ts";
import { reconcilePages } from "./reconcile-pages.ts";
import { reconciliationPages } from "./reconciliation-pages.ts";
import { balanceForm, renderSupplier } from "./render-supplier.ts";
import { renderSuppliers } from "./render-suppliers.ts";
import { enableRoutePages } from "./route-state.ts";
import { syncPages } from "./sync-pages.ts";

const idOf = (ctx: ConsoleContext): string => ctx.params.id ?? "";
const supplierPath = (id: string): string => `/suppliers/${id}`;

const stateForm = defineForm({
  enabled: radioField({
    label: "Enabled",
    choices: [
      { value: "yes", label: "Enable" },
      { value: "no", label: "Disable" },
    ],
  }),
});

/** Where units come from, and how that goes. Nothing here ever reaches a reseller. */
export function supplierPages(face: ConsoleFace, deps: ConsoleDeps): void {
  face.page({
    path: "/suppliers",
    permission: "suppliers.read",
    load: () => listSupplierSummaries(deps.db),
    render: renderSuppliers,
  });
  const load = (ctx: ConsoleContext) => orNotFound(getSupplierDetails(deps.db, idOf(ctx), ctx.now));
  addPages(face, deps);
  syncPages(face, deps);
  reconcilePages(face, deps);
  reconciliationPages(face, deps);
  configPages(face, deps, async (ctx, error) => renderSupplier(await load(ctx), ctx, { error }));
  face.page({
    path: "/suppliers/:id",
    permission: "suppliers.read",
    load,
    render: (supplier, ctx) => renderSupplier(supplier, ctx),
  });
  face.action({
    path: "/suppliers/:id/state",
    permission: "suppliers.manage",
    form: stateForm,
    run: async ({ enabled }, ctx) => {
      const isEnabled = enabled === "yes";
      await orNotFound(setEnabled(deps.db, deps.clock, idOf(ctx), isEnabled, byOf(ctx)));
      return redirect(
        supplierPath(idOf(ctx)),
        isEnabled ? "The supplier is enabled." : "The supplier is disabled. Nothing more is bought there.",
      );
    },
    again: async (state, ctx) => renderSupplier(await load(ctx), ctx, { error: state.formError }),
  });
  priceLimitPages(face, deps, async (ctx, limits) => renderSupplier(await load(ctx), ctx, { limits }));
  enableRoutePages(face, deps, "suppliers", async (ctx, error) =>
    renderSupplier(await load(ctx), ctx, { error }),
  );
  face.action({
    path: "/suppliers/:id/balance-alert",
    permission: "suppliers.manage",
    form: balanceForm,
    run: async ({ amount }, ctx) => {
      await sayRefusal(setLowBalance(deps, idOf(ctx), amount, byOf(ctx)));
      return redirect(supplierPath(idOf(ctx)), "The amount for the alert was changed.");
    },
    again: async (state, ctx) => renderSupplier(await load(ctx), ctx, { balance: state }),
  });
}
