import { addPasskey, offerPasskey, removePasskey } from "../../accounts/factors/change-passkeys.ts";
import { requireFreshProof } from "../../accounts/sessions/session-life.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { passkeyForm } from "../../web/form/passkey-form.ts";
import { hiddenField, textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { notice } from "../../web/parts/notice.ts";
import { panel, stack } from "../../web/parts/panel.ts";
import { html } from "../../web/template/html.ts";
import { type AccessContext, type AccessDeps, type AccessFace, at, OWN_ACCOUNT } from "../site.ts";
import { showCodes } from "./totp-pages.ts";

const idForm = defineForm({ id: hiddenField("Id") });
const nameField = textField({
  label: "Name",
  maxLength: 100,
  placeholder: "MacBook",
  hint: "To tell your passkeys apart.",
});
const newPasskeyForm = defineForm({ name: nameField, credential: hiddenField("Passkey") });

/** Passkeys: add and remove. */
export function passkeyPages(face: AccessFace, deps: AccessDeps): void {
  const path = `${deps.site.base}/security/passkey`;
  face.page({
    path,
    permission: OWN_ACCOUNT,
    load: async (ctx) => requireFreshProof(ctx.session.account, ctx.now),
    render: (_data, ctx) => renderPasskey(newPasskeyForm.start(), ctx),
  });
  face.download({
    method: "POST",
    path: `${path}/options`,
    permission: OWN_ACCOUNT,
    does: "Add a passkey to your account.",
    load: async (ctx) => ({
      type: "application/json",
      body: JSON.stringify(await offerPasskey(deps.accounts, ctx.session.account)),
    }),
  });
  face.action({
    path,
    permission: OWN_ACCOUNT,
    form: newPasskeyForm,
    does: "Add the passkey to your account.",
    async run({ credential, name }, ctx) {
      const input = { answer: credential, name };
      const added = await addPasskey(deps.accounts, ctx.session.account, input, ctx.address);
      return showCodes(added.recoveryCodes, "The passkey was added.", ctx);
    },
    again: async (state, ctx) => renderPasskey(state, ctx),
  });
  face.action({
    path: `${path}/remove`,
    permission: OWN_ACCOUNT,
    form: idForm,
    does: "Remove the passkey from your account.",
    async run({ id }, ctx) {
      await removePasskey(deps.accounts, ctx.session.account, id, ctx.address);
      return redirect(at(ctx, "/security"), "The passkey was removed.");
    },
    again: async (state, ctx) => renderPasskey(state, ctx),
  });
}

const renderPasskey = (state: FormState, ctx: AccessContext): PageContent => ({
  title: "Add a passkey",
  crumbs: [{ label: "Security", href: at(ctx, "/security") }],
  subtitle: "Your device asks for your fingerprint, your face or its PIN.",
  body: panel(
    {},
    stack(
      state.formError === undefined ? undefined : notice("bad", state.formError),
      passkeyForm({
        kind: "create",
        optionsAction: at(ctx, "/security/passkey/options"),
        action: at(ctx, "/security/passkey"),
        hidden: ctx.hidden(),
        submit: "Add passkey",
        fields: nameField.render("name", {
          given: state.typed.name ?? [],
          error: state.errors.name,
          id: "passkey-name",
        }),
      }),
      html`<noscript><p>Passkeys need JavaScript. Turn it on, or add an authenticator app instead.</p></noscript>`,
    ),
  ),
});
