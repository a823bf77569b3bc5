import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { notice } from "../../web/parts/notice.ts";
import { panel, row, stack } from "../../web/parts/panel.ts";
import { html } from "../../web/template/html.ts";
import { localBack } from "../local-back.ts";
import { BASE, type DashboardContext, type DashboardFace, here, OWN_ACCOUNT } from "../session.ts";

/** A new account is asked for a second factor, and can say no where the team does not require one. */
export function addFactorPage(face: DashboardFace): void {
  face.page({
    path: `${BASE}/add-factor`,
    permission: OWN_ACCOUNT,
    load: async () => undefined,
    render: (_data, ctx) => renderAddFactor(ctx),
  });
}

function renderAddFactor(ctx: DashboardContext): PageContent {
  const { mustAddFactor } = ctx.session.account;
  return {
    title: "Add a second factor",
    subtitle: "A password can be stolen. With a second factor it is not enough to sign in.",
    body: stack(
      mustAddFactor
        ? notice("warn", "Your team requires a second factor", "Add one of these to go on.")
        : undefined,
      panel(
        { title: "Passkey" },
        stack(
          html`<p>Your fingerprint, your face or a security key. Nothing to type, and it cannot be phished.</p>`,
          row(linkButton("Add a passkey", here(ctx, `${BASE}/security/passkey`), { kind: "main" })),
        ),
      ),
      panel(
        { title: "Authenticator app" },
        stack(
          html`<p>An app on your phone shows a new one-time code every 30 seconds.</p>`,
          row(linkButton("Add an authenticator app", here(ctx, `${BASE}/security/totp`))),
        ),
      ),
      mustAddFactor ? undefined : row(linkButton("Later", localBack(ctx.query.back))),
    ),
  };
}
