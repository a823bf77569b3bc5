import type { By } from "../../activity/record-activity.ts";
import { rehearse } from "../../db/rehearse.ts";
import { parseDuration } from "../../lib/duration.ts";
import { setEnabled } from "../../suppliers/enable-supplier.ts";
import { listSupplierSummaries } from "../../suppliers/health-queries.ts";
import { setNotFoundRule } from "../../suppliers/look-ups/not-found-rule.ts";
import { setLowBalance } from "../../suppliers/read-balances.ts";
import { getSupplierDetails } from "../../suppliers/supplier-health.ts";
import { radioField } from "../../web/form/choice-fields.ts";
import { defineForm, type ValuesOf } from "../../web/form/define-form.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { type OptionFields, orNotFound, sayRefusal } from "../say-refusal.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace, provedBy } from "../session.ts";
import { addPages } from "./add-pages.ts";
import { configPages } from "./config-pages.ts";
import { priceLimitPages } from "./price-limits.ts";
import { reconcilePages } from "./reconcile-pages.ts";
import { reconciliationPages } from "./reconciliation-pages.ts";
import { balanceForm, notFoundForm, renderSupplier } from "./render-supplier.ts";
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

const NOT_FOUND_OPTIONS: OptionFields = {
  "--not-found-over": { name: "notFoundOver", label: "Over" },
  "--resend-after": { name: "resendAfter", label: "Lag of its books" },
};

const changeNotFound = async (
  deps: ConsoleDeps,
  id: string,
  { notFoundTimes, notFoundOver, resendAfter, notMadePerHour }: ValuesOf<typeof notFoundForm.fields>,
  by: By,
) =>
  setNotFoundRule(
    deps,
    id,
    {
      ...(notFoundTimes === undefined ? {} : { times: notFoundTimes }),
      overMs: durationOf("--not-found-over", notFoundOver),
      resendAfterMs: durationOf("--resend-after", resendAfter),
      ...(notMadePerHour === undefined ? {} : { perHour: notMadePerHour }),
    },
    by,
  );

function durationOf(option: string, text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new RangeError(`${option} is a duration such as 15m, 90s or 1h`);
  return ms;
}

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
    does: async (_values, ctx) => {
      const { name } = await load(ctx);
      return `Enable ${name}. Scrip buys there again.`;
    },
    // To disable takes a click: it is what a person does in a hurry.
    run: async ({ enabled }, ctx) => {
      const isEnabled = enabled === "yes";
      const by = isEnabled ? provedBy(ctx) : byOf(ctx);
      await orNotFound(setEnabled(deps.db, deps.clock, idOf(ctx), isEnabled, by));
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
  face.action({
    path: "/suppliers/:id/not-found",
    permission: "suppliers.manage",
    form: notFoundForm,
    does: async (values, ctx) => {
      const change = (trial: ConsoleDeps) => changeNotFound(trial, idOf(ctx), values, byOf(ctx));
      await sayRefusal(rehearse(deps, change), NOT_FOUND_OPTIONS);
      return "Change when a purchase that this supplier does not find counts as not made.";
    },
    run: async (values, ctx) => {
      await sayRefusal(changeNotFound(deps, idOf(ctx), values, provedBy(ctx)), NOT_FOUND_OPTIONS);
      return redirect(supplierPath(idOf(ctx)), "The rule for purchases that are not found was changed.");
    },
    again: async (state, ctx) => renderSupplier(await load(ctx), ctx, { notFound: state }),
  });
}
