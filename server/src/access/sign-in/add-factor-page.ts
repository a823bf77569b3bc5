import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { notice } from "../../web/parts/notice.ts";
import { panel, row, stack } from "../../web/parts/panel.ts";
import { html } from "../../web/template/html.ts";
import { localBack } from "../local-back.ts";
import { type AccessContext, type AccessDeps, type AccessFace, at, OWN_ACCOUNT, type Site } from "../site.ts";

/** A new account is asked for a second factor, and can say no where the team does not require one. */
export function addFactorPage(face: AccessFace, { site }: AccessDeps): void {
  face.page({
    path: `${site.base}/add-factor`,
    permission: OWN_ACCOUNT,
    load: async () => undefined,
    render: (_data, ctx) => renderAddFactor(site, ctx),
  });
}

function renderAddFactor(site: Site, ctx: AccessContext): PageContent {
  const { mustAddFactor } = ctx.session.account;
  return {
    title: "Add a second factor",
    subtitle: "A password can be stolen. With a second factor it is not enough to sign in.",
    body: stack(
      mustAddFactor ? notice("warn", site.factorReason, "Add one of these to go on.") : undefined,
      panel(
        { title: "Passkey" },
        stack(
          html`<p>Your fingerprint, your face or a security key. Nothing to type, and it cannot be phished.</p>`,
          row(linkButton("Add a passkey", at(ctx, "/security/passkey"), { kind: "main" })),
        ),
      ),
      panel(
        { title: "Authenticator app" },
        stack(
          html`<p>An app on your phone shows a new one-time code every 30 seconds.</p>`,
          row(linkButton("Add an authenticator app", at(ctx, "/security/totp"))),
        ),
      ),
      mustAddFactor ? undefined : row(linkButton("Later", localBack(ctx, ctx.query.back))),
    ),
  };
}
