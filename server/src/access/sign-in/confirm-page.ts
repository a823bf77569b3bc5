import { type Factors, getFactors } from "../../accounts/factors/get-factors.ts";
import { offerPasskeyProof, type Proof, proveSession } from "../../accounts/sessions/prove-session.ts";
import { Problem } from "../../lib/problem.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import type { FieldOptions } from "../../web/form/field.ts";
import { passkeyForm } from "../../web/form/passkey-form.ts";
import { hiddenField, passwordField, textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { type ActionResult, redirect, type Will } from "../../web/pages/define-page.ts";
import { here } from "../../web/pages/here.ts";
import { notice } from "../../web/parts/notice.ts";
import { facts, panel, stack } from "../../web/parts/panel.ts";
import { html } from "../../web/template/html.ts";
import { changeCookie } from "../change-cookie.ts";
import { localBack } from "../local-back.ts";
import { type AccessContext, type AccessDeps, type AccessFace, at, homeOf, OWN_ACCOUNT } from "../site.ts";
import { type CarriedForm, openCarried } from "./carried-form.ts";

const kept = { back: hiddenField("Back"), carried: hiddenField("Form") };
const password = (options: FieldOptions) => passwordField({ ...options, autocomplete: "current-password" });
const code = (options: FieldOptions) =>
  textField({ ...options, autocomplete: "one-time-code", isCode: true, maxLength: 40 });
const PASSWORD = { label: "Password", required: true };
const CODE = { label: "One-time code", required: true };
const mark = "one of the two";

/** Where both are there, one of the two is filled in. It reads what the other two forms send as well. */
const confirmForm = defineForm({
  password: password({ ...PASSWORD, required: false, mark }),
  code: code({ ...CODE, required: false, mark }),
  ...kept,
});
const passwordForm = defineForm({ password: password(PASSWORD), ...kept });
const codeForm = defineForm({ code: code(CODE), ...kept });
const passkeyProofForm = defineForm({ credential: hiddenField("Passkey"), ...kept });

/** Fresh proof before what a stranger at an open browser must not do. */
export function confirmPages(face: AccessFace, deps: AccessDeps): void {
  const path = `${deps.site.base}/confirm`;
  const show = async (state: FormState, ctx: AccessContext) => {
    const factors = await getFactors(deps.accounts, ctx.session.account);
    return renderConfirm(factors, state, ctx, find(deps, ctx, state.typed.carried?.[0] ?? "")?.will);
  };
  face.page({
    path,
    permission: OWN_ACCOUNT,
    load: (ctx) => getFactors(deps.accounts, ctx.session.account),
    render: (factors, ctx) => renderConfirm(factors, confirmForm.start({ back: ctx.query.back ?? "" }), ctx),
  });
  face.action({
    path,
    permission: OWN_ACCOUNT,
    form: confirmForm,
    run: async ({ password, code, ...rest }, ctx) =>
      goOn(
        deps,
        ctx,
        () => (password === "" && code !== "" ? { code } : { password: required(password) }),
        rest,
      ),
    again: show,
  });
  face.download({
    method: "POST",
    path: `${path}/passkey-options`,
    permission: OWN_ACCOUNT,
    load: async (ctx) => ({
      type: "application/json",
      body: JSON.stringify(await offerPasskeyProof(deps.accounts, ctx.session.account)),
    }),
  });
  face.action({
    path: `${path}/passkey`,
    permission: OWN_ACCOUNT,
    form: passkeyProofForm,
    run: ({ credential, ...rest }, ctx) => goOn(deps, ctx, () => ({ passkey: credential }), rest),
    again: show,
  });
}

function required(password: string): string {
  if (password !== "") return password;
  const detail = "Enter your password or a one-time code. One of the two is enough.";
  throw new Problem("invalid_request", detail, {
    errors: [{ pointer: "/password", code: "required", detail }],
  });
}

const find = ({ accounts }: AccessDeps, ctx: AccessContext, carried: string): CarriedForm | undefined =>
  carried === "" ? undefined : openCarried(accounts, ctx.session.account, carried, ctx.now);

/** With the proof there, the form that asked for it is run; without one the page that was asked for is shown. */
async function goOn(
  deps: AccessDeps,
  ctx: AccessContext,
  readProof: () => Proof,
  { back, carried }: { back: string; carried: string },
): Promise<ActionResult> {
  const form = find(deps, ctx, carried);
  if (carried !== "" && !form)
    throw new Problem(
      "invalid_request",
      "What you started is too old, or was started in another session. Nothing was done. Open its page and send it again.",
    );
  const cookie = await proveSession(deps.accounts, ctx.session.account, readProof(), ctx.address);
  changeCookie(deps, ctx, cookie);
  if (!form) return redirect(localBack(ctx, back));
  const { will: _will, formId, ...waiting } = form;
  return { goOn: waiting, formId, cookie: cookie.reveal() };
}

/** What is shown in place of a form's answer when its verb wants fresh proof first. Nothing that was typed is lost. */
export const renderConfirmFor = (
  factors: Factors,
  { carried, will }: { carried: string | undefined; will: Will },
  ctx: AccessContext,
): PageContent =>
  carried === undefined
    ? renderConfirm(factors, { ...confirmForm.start(), formError: TOO_LONG }, ctx)
    : renderConfirm(factors, confirmForm.start({ carried }), ctx, will);

const TOO_LONG = "What you typed is too long to be kept. Confirm, then open the form and send it again.";

function renderConfirm(factors: Factors, state: FormState, ctx: AccessContext, will?: Will): PageContent {
  const form = !factors.totp ? passwordForm : factors.hasPassword ? confirmForm : codeForm;
  const hidden = ["back", "carried"].map(
    (name) => html`<input type="hidden" name="${name}" value="${state.typed[name]?.[0] ?? ""}">`,
  );
  return {
    title: "Confirm that it is you",
    subtitle: "What you are about to do needs fresh proof. It counts for five minutes.",
    body: stack(
      will && willPanel(will),
      factors.hasPassword || factors.totp
        ? panel(
            {},
            form.render({
              action: at(ctx, "/confirm"),
              hidden: ctx.hidden(),
              state,
              submit: "Continue",
              cancelHref: here(ctx, homeOf(ctx)),
              isPlain: will?.isFile ?? false,
            }),
          )
        : undefined,
      factors.passkeys > 0
        ? passkeyForm({
            kind: "get",
            optionsAction: `${ctx.base}/confirm/passkey-options`,
            action: at(ctx, "/confirm/passkey"),
            hidden: html`${ctx.hidden()}${hidden}`,
            submit: "Use a passkey",
          })
        : undefined,
      !factors.hasPassword && !factors.totp && factors.passkeys === 0 ? nothingToProve() : undefined,
    ),
  };
}

/** What happens once the proof is there. Nothing else is asked. */
const willPanel = ({ sentence = "What you started goes on.", typed }: Will) =>
  panel(
    { title: "Then this is done" },
    stack(html`<p id="will">${sentence}</p>`, typed.length === 0 ? undefined : facts(typed)),
  );

/** An account of the demo that came in by its link. */
const nothingToProve = () =>
  notice(
    "warn",
    "This account has no password yet",
    "Start the demo again and open the new link. Then set a password on the page Security within five minutes.",
  );
