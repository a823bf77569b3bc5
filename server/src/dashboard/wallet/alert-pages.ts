import { formatAmount } from "../../lib/money.ts";
import { findNoticeAddresses } from "../../mail/notice-addresses.ts";
import { findAlert } from "../../wallet/alerts/alert-queries.ts";
import { setAlert } from "../../wallet/alerts/set-alert.ts";
import { getWallet } from "../../wallet/get-wallet.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { moneyText } from "../../web/parts/money.ts";
import { panel, stack } from "../../web/parts/panel.ts";
import { html } from "../../web/template/html.ts";
import {
  actorOf,
  BASE,
  type DashboardContext,
  type DashboardDeps,
  type DashboardFace,
  here,
  tenantOf,
} from "../session.ts";
import { WALLET } from "./render-wallet.ts";

export const ALERT = `${WALLET}/alert`;

const alertForm = defineForm({
  below: textField({
    label: "Alert below",
    hint: "In the currency of the wallet. Leave it empty for no alert.",
    inputmode: "decimal",
    maxLength: 24,
  }),
});

type AlertData = {
  balanceMinor: bigint;
  currency: string;
  belowMinor: bigint | null;
  addresses: readonly string[];
};

/** The balance below which people get a letter. Owners and finance change it. */
export function alertPages(face: DashboardFace, deps: DashboardDeps): void {
  const load = async (ctx: DashboardContext): Promise<AlertData> => {
    const tenant = tenantOf(ctx);
    const [wallet, belowMinor, addresses] = await Promise.all([
      getWallet(deps.db, tenant),
      findAlert(deps.db, tenant),
      findNoticeAddresses(deps.db, tenant.resellerId, "wallet_low"),
    ]);
    return { ...wallet, belowMinor, addresses };
  };
  face.page({
    path: ALERT,
    permission: "wallet.alert",
    load,
    render: (data, ctx) => renderAlert(data, alertForm.start({ below: belowText(data) }), ctx),
  });
  face.action({
    path: ALERT,
    permission: "wallet.alert",
    form: alertForm,
    async run({ below }, ctx) {
      const by = { actor: actorOf(ctx), address: ctx.address };
      const { belowMinor, currency } = await setAlert(deps, tenantOf(ctx), below, by);
      const said =
        belowMinor === null
          ? "There is no low-balance alert any more."
          : `You are told when the balance falls below ${moneyText(belowMinor, currency)}.`;
      return redirect(here(ctx, WALLET), said);
    },
    again: async (state, ctx) => renderAlert(await load(ctx), state, ctx),
  });
}

const belowText = ({ belowMinor, currency }: AlertData): string =>
  belowMinor === null ? "" : formatAmount(belowMinor, currency);

const renderAlert = (data: AlertData, state: FormState, ctx: DashboardContext): PageContent => ({
  title: "Low-balance alert",
  subtitle: `The balance is ${moneyText(data.balanceMinor, data.currency)}.`,
  crumbs: [{ label: "Wallet", href: here(ctx, WALLET) }],
  body: stack(
    panel(
      { title: "Threshold" },
      html`<p>One message goes to ${data.addresses.join(", ")} each time the balance falls below the threshold. Owners choose the addresses in <a class="link" href="${here(ctx, `${BASE}/settings`)}">Settings</a>.</p>${alertForm.render({ action: here(ctx, ALERT), hidden: ctx.hidden(), state, submit: "Save" })}`,
    ),
  ),
});
