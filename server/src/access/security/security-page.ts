import type { Passkey } from "../../accounts/factors/change-passkeys.ts";
import type { Factors } from "../../accounts/factors/get-factors.ts";
import type { ListedSession } from "../../accounts/sessions/end-session.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { chip } from "../../web/parts/chip.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { facts, panel, row, stack } from "../../web/parts/panel.ts";
import { smallForm, smallLink } from "../../web/parts/small-form.ts";
import { time } from "../../web/parts/time.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { type AccessContext, at } from "../site.ts";

export type SecurityData = {
  factors: Factors;
  passkeys: readonly Passkey[];
  sessions: readonly ListedSession[];
};

/** Fewer than this are soon none. */
const RECOVERY_CODES_LOW = 4;

/** One's own account: how it is proved, and where it is signed in. */
export const renderSecurity = (data: SecurityData, ctx: AccessContext): PageContent => ({
  title: "Security",
  subtitle: ctx.session.account.email,
  body: stack(
    data.factors.totp || data.factors.passkeys > 0
      ? undefined
      : notice(
          "warn",
          "Your account has no second factor",
          "Anyone who learns your password can sign in. Add a passkey or an authenticator app.",
        ),
    passwordPanel(data.factors, ctx),
    passkeysPanel(data.passkeys, ctx),
    appPanel(data.factors, ctx),
    sessionsPanel(data.sessions, ctx),
  ),
});

const passwordPanel = ({ hasPassword }: Factors, ctx: AccessContext): Html =>
  panel(
    {
      title: "Password",
      aside: smallLink(hasPassword ? "Change" : "Set a password", at(ctx, "/security/password")),
    },
    html`<p class="quiet">${hasPassword ? "A new password signs you out everywhere else." : "No password is set. You came in by a link."}</p>`,
  );

const passkeysPanel = (passkeys: readonly Passkey[], ctx: AccessContext): Html =>
  tablePanel({
    title: "Passkeys",
    aside: smallLink("Add a passkey", at(ctx, "/security/passkey")),
    caption: "Passkeys",
    rows: passkeys,
    columns: [
      { head: "Name", cell: ({ name }) => name, wraps: true },
      { head: "Added", cell: ({ createdAt }) => time(createdAt, ctx.now) },
      { head: "Last used", cell: ({ lastUsedAt }) => (lastUsedAt ? time(lastUsedAt, ctx.now) : "never") },
      {
        head: html`<span class="hidden">Actions</span>`,
        cell: ({ id, name }) => smallForm(ctx, at(ctx, "/security/passkey/remove"), id, "Remove", name),
      },
    ],
    empty: emptyState(
      "No passkeys yet",
      "Sign in with your fingerprint, your face or a security key instead of a password.",
    ),
  });

const appPanel = (factors: Factors, ctx: AccessContext): Html =>
  panel(
    {
      title: "Authenticator app",
      aside: factors.totp
        ? smallForm(ctx, at(ctx, "/security/totp/remove"), "", "Remove app")
        : smallLink("Add an app", at(ctx, "/security/totp")),
    },
    facts([
      ["App", factors.totp ? chip("active") : "Not set up"],
      ...(factors.totp || factors.passkeys > 0
        ? ([["Recovery codes", recoveryCodes(factors.recoveryCodes, ctx)]] as const)
        : []),
    ]),
  );

const recoveryCodes = (left: number, ctx: AccessContext): Html =>
  row(
    html`<span>${left} left${left < RECOVERY_CODES_LOW ? ". Make new ones soon." : ""}</span>`,
    smallForm(ctx, at(ctx, "/security/recovery-codes"), "", "Make new codes"),
  );

const sessionsPanel = (sessions: readonly ListedSession[], ctx: AccessContext): Html =>
  tablePanel({
    title: "Where you are signed in",
    caption: "Sessions",
    rows: sessions,
    columns: [
      {
        head: "Device",
        cell: ({ device, isCurrent }) => (isCurrent ? twoLines(device, "This device") : device),
      },
      { head: "Address", cell: ({ address }) => html`<code>${address}</code>` },
      { head: "Signed in", cell: ({ createdAt }) => time(createdAt, ctx.now) },
      { head: "Last seen", cell: ({ lastSeenAt }) => time(lastSeenAt, ctx.now) },
      {
        head: html`<span class="hidden">Actions</span>`,
        cell: ({ id, device, isCurrent }) =>
          smallForm(
            ctx,
            at(ctx, "/security/sessions/end"),
            id,
            "End",
            isCurrent ? `${device}, this device` : device,
          ),
      },
    ],
    empty: emptyState("No sessions", "You are not signed in anywhere."),
  });
