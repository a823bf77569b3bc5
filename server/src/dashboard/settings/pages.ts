import { requireFreshProof } from "../../accounts/sessions/session-life.ts";
import { changeNotices } from "../../resellers/change-notices.ts";
import { getReseller } from "../../resellers/get-reseller.ts";
import type { ResellerRow } from "../../resellers/queries.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { idText } from "../../web/parts/copy.ts";
import { facts, panel, stack } from "../../web/parts/panel.ts";
import {
  actorOf,
  BASE,
  type DashboardContext,
  type DashboardDeps,
  type DashboardFace,
  here,
} from "../session.ts";

const PATH = `${BASE}/settings`;

const noticesForm = defineForm({
  email: textField({
    label: "Notification email",
    required: true,
    type: "email",
    maxLength: 254,
    hint: "Gets a message when a webhook endpoint keeps failing and when it is disabled. It may be a shared mailbox.",
  }),
});

/** What holds for the whole reseller. Owners change it. */
export function settingsPages(face: DashboardFace, deps: DashboardDeps): void {
  const load = (ctx: DashboardContext) => getReseller(deps.db, ctx.session.resellerId);
  face.page({
    path: PATH,
    permission: "settings.manage",
    load,
    render: (reseller, ctx) => renderSettings(reseller, noticesForm.start({ email: reseller.email }), ctx),
  });
  face.action({
    path: PATH,
    permission: "settings.manage",
    form: noticesForm,
    async run({ email }, ctx) {
      requireFreshProof(ctx.session.account, ctx.now);
      const by = { actor: actorOf(ctx), address: ctx.address };
      const changed = await changeNotices(deps, ctx.session.resellerId, email, by);
      return redirect(here(ctx, PATH), `Notifications go to ${changed.email}.`);
    },
    again: async (state, ctx) => renderSettings(await load(ctx), state, ctx),
  });
}

const renderSettings = (reseller: ResellerRow, state: FormState, ctx: DashboardContext): PageContent => ({
  title: "Settings",
  subtitle: "These hold for live and test.",
  body: stack(
    panel(
      { title: "Reseller" },
      facts([
        ["Name", reseller.name],
        ["Currency", reseller.currency],
        ["Id", idText(reseller.id)],
      ]),
    ),
    panel(
      { title: "Notifications" },
      noticesForm.render({ action: here(ctx, PATH), hidden: ctx.hidden(), state, submit: "Save" }),
    ),
  ),
});
