import { requireFreshProof } from "../../accounts/sessions/session-life.ts";
import { rehearse } from "../../db/rehearse.ts";
import {
  type ChosenAddresses,
  listChosenAddresses,
  NOTICE_ADDRESSES_MAX,
  type NoticeKind,
} from "../../mail/notice-addresses.ts";
import { changeNotices } from "../../resellers/change-notices.ts";
import { getReseller } from "../../resellers/get-reseller.ts";
import type { ResellerRow } from "../../resellers/queries.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { textareaField, textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { idText } from "../../web/parts/copy.ts";
import { columns, facts, panel } from "../../web/parts/panel.ts";
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
    hint: "Gets every notification that has no addresses of its own. It may be a shared mailbox.",
  }),
  wallet_low: addressesField("Low balance", "When a balance falls below the threshold of its wallet."),
  webhook_failing: addressesField(
    "Failing endpoints",
    "When an endpoint has failed for 24 and for 72 hours.",
  ),
  webhook_disabled: addressesField(
    "Disabled endpoints",
    "When an endpoint was disabled after five days of failures.",
  ),
  deposit: addressesField("Deposits", "When a deposit was credited or rejected."),
});

function addressesField(label: string, hint: string) {
  return textareaField({
    label,
    hint: `${hint} Up to ${NOTICE_ADDRESSES_MAX} addresses, one on each line.`,
    rows: 2,
    maxLength: 1_500,
  });
}

const byOf = (ctx: DashboardContext) => ({ actor: actorOf(ctx), address: ctx.address });

type Settings = { reseller: ResellerRow; chosen: ChosenAddresses };

const typedOf = ({ reseller, chosen }: Settings) => {
  const lines = (kind: NoticeKind) => (chosen[kind] ?? []).join("\n");
  return {
    email: reseller.email,
    wallet_low: lines("wallet_low"),
    webhook_failing: lines("webhook_failing"),
    webhook_disabled: lines("webhook_disabled"),
    deposit: lines("deposit"),
  };
};

/** What holds for the whole reseller. Owners change it. */
export function settingsPages(face: DashboardFace, deps: DashboardDeps): void {
  const load = async (ctx: DashboardContext): Promise<Settings> => ({
    reseller: await getReseller(deps.db, ctx.session.resellerId),
    chosen: await listChosenAddresses(deps.db, ctx.session.resellerId),
  });
  face.page({
    path: PATH,
    permission: "settings.manage",
    load,
    render: (settings, ctx) => renderSettings(settings, noticesForm.start(typedOf(settings)), ctx),
  });
  face.action({
    path: PATH,
    permission: "settings.manage",
    form: noticesForm,
    does: async (values, ctx) => {
      await rehearse(deps, (trial) => changeNotices(trial, ctx.session.resellerId, values, byOf(ctx)));
      return "Change who gets which notifications.";
    },
    async run(values, ctx) {
      requireFreshProof(ctx.session.account, ctx.now);
      await changeNotices(deps, ctx.session.resellerId, values, byOf(ctx));
      return redirect(here(ctx, PATH), "Notifications were saved.");
    },
    again: async (state, ctx) => renderSettings(await load(ctx), state, ctx),
  });
}

const renderSettings = ({ reseller }: Settings, state: FormState, ctx: DashboardContext): PageContent => ({
  title: "Settings",
  subtitle: "These hold for live and test.",
  body: columns(
    panel(
      { title: "Notifications" },
      noticesForm.render({ action: here(ctx, PATH), hidden: ctx.hidden(), state, submit: "Save" }),
    ),
    panel(
      { title: "Reseller" },
      facts([
        ["Name", reseller.name],
        ["Currency", reseller.currency],
        ["Id", idText(reseller.id, { short: true })],
      ]),
    ),
  ),
});
