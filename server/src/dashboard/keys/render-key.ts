import { isPermitted } from "../../accounts/permissions.ts";
import { keyState } from "../../keys/list-keys.ts";
import type { KeyRow } from "../../keys/queries.ts";
import type { FormState } from "../../web/form/define-form.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { confirm } from "../../web/parts/confirm.ts";
import { idText } from "../../web/parts/copy.ts";
import { notice } from "../../web/parts/notice.ts";
import { columns, facts, panel, stack } from "../../web/parts/panel.ts";
import { exactly, time } from "../../web/parts/time.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { type DashboardContext, here } from "../session.ts";
import { confirmForm, editForm, rollForm } from "./key-forms.ts";
import { limitFacts, startLimits } from "./key-limits.ts";
import {
  creatorText,
  hintOf,
  KEYS,
  keyPath,
  lastUsed,
  nameOf,
  scopesText,
  stateCell,
} from "./render-keys.ts";

export type KeyData = {
  key: KeyRow;
  /** The keys that it is replaced by and that it replaces. */
  related: ReadonlyMap<string, KeyRow>;
  people: ReadonlyMap<string, string>;
  /** What a counted key has spent today. */
  spentMinor: bigint;
};

const crumbs = (ctx: DashboardContext) => [{ label: "API keys", href: here(ctx, KEYS) }];

export const startEdit = (key: KeyRow): FormState =>
  editForm.start({
    name: key.name,
    scopes: key.scopes,
    allowedIps: key.allowedIps.join("\n"),
    ...startLimits(key),
  });

/** One key: what it is, and what of it can be changed. */
export function renderKey(data: KeyData, ctx: DashboardContext, state = startEdit(data.key)): PageContent {
  const { key } = data;
  const isEnded = ["revoked", "expired"].includes(keyState(key, ctx.now));
  const mayManage = isPermitted(ctx.session.account, "keys.manage") && !isEnded;
  const about = panel({ title: "About this key" }, facts(factsOf(data, ctx)));
  return {
    title: nameOf(key),
    subtitle: html`<code>${hintOf(key)}</code>`,
    crumbs: crumbs(ctx),
    ...(mayManage ? { actions: actions(key, ctx) } : {}),
    body: stack(frozenPanel(key, ctx, mayManage), bodyOf(data, ctx, { state, mayManage, about })),
  };
}

const bodyOf = (
  { key }: KeyData,
  ctx: DashboardContext,
  { state, mayManage, about }: { state: FormState; mayManage: boolean; about: Html },
): Html =>
  mayManage
    ? columns(
        panel(
          { title: "Edit" },
          editForm.render({
            action: here(ctx, keyPath(key.id)),
            hidden: ctx.hidden(),
            state,
            submit: "Save changes",
            id: "edit",
          }),
        ),
        about,
      )
    : stack(isRefused(state) ? endedNotice : undefined, about);

/** What happened to a frozen key, and the way back. */
function frozenPanel(key: KeyRow, ctx: DashboardContext, mayManage: boolean): Html | undefined {
  if (key.frozenAt === null || keyState(key, ctx.now) !== "frozen") return undefined;
  const words = html`<p>Frozen ${time(key.frozenAt, ctx.now)}, because it was about to spend far more than usual in an hour. It places no orders; everything else still works. If it was not you, revoke it.</p>`;
  const form = mayManage
    ? confirmForm.render({
        action: here(ctx, `${keyPath(key.id)}/unfreeze`),
        hidden: ctx.hidden(),
        state: confirmForm.start(),
        submit: "Unfreeze key",
        id: "unfreeze",
      })
    : undefined;
  return panel({ title: "This key is frozen" }, html`${words}${form}`);
}

const isRefused = ({ errors, formError }: FormState): boolean =>
  formError !== undefined || Object.keys(errors).length > 0;

/** Someone ended the key while its form was open. */
const endedNotice = notice(
  "bad",
  "Nothing was changed",
  "This key has ended since you opened the page. Create a new key instead.",
);

const actions = (key: KeyRow, ctx: DashboardContext): HtmlValue => [
  key.replacedById === null ? linkButton("Roll key", here(ctx, `${keyPath(key.id)}/roll`)) : undefined,
  linkButton("Revoke", here(ctx, `${keyPath(key.id)}/revoke`), { kind: "danger" }),
];

function factsOf(
  { key, related, people, spentMinor }: KeyData,
  ctx: DashboardContext,
): [string, HtmlValue][] {
  const replaced = related.get(key.replacesId ?? "");
  return [
    ["State", stateCell(key, ctx, related)],
    ["Environment", key.environment],
    ["Id", idText(key.id, { short: true })],
    ["Scopes", scopesText(key.scopes)],
    ["Addresses", key.allowedIps.length === 0 ? "any" : html`<code>${key.allowedIps.join(", ")}</code>`],
    ...limitFacts(key, spentMinor),
    ["Last used", lastUsed(key, ctx.now)],
    ["Created", html`${time(key.createdAt, ctx.now)} ${creatorText(key, people)}`],
    ["Expires", key.expiresAt === null ? "never" : exactly(key.expiresAt)],
    ...(replaced
      ? [
          [
            "Replaces",
            html`<a class="link" href="${here(ctx, keyPath(replaced.id))}">${hintOf(replaced)}</a>`,
          ] as [string, HtmlValue],
        ]
      : []),
  ];
}

/** Rolling is decided on its own page, which says what happens to the old key. */
export const renderRoll = (
  key: KeyRow,
  ctx: DashboardContext,
  state: FormState = rollForm.start({ grace: "24" }),
): PageContent => ({
  title: `Roll ${nameOf(key)}`,
  subtitle: html`<code>${hintOf(key)}</code> is replaced by a new key with the same name, scopes, addresses, limits and expiry.`,
  crumbs: [...crumbs(ctx), { label: nameOf(key), href: here(ctx, keyPath(key.id)) }],
  body: panel(
    { title: "When the old key ends" },
    rollForm.render({
      action: here(ctx, `${keyPath(key.id)}/roll`),
      hidden: ctx.hidden({ once: true }),
      state,
      submit: "Roll key",
      cancelHref: here(ctx, keyPath(key.id)),
      id: "roll",
      note: html`<p class="quiet">The new key works at once and is shown only once. Put it into place before the old one ends.</p>`,
    }),
  ),
});

export const renderRevoke = (key: KeyRow, ctx: DashboardContext): PageContent => ({
  title: `Revoke ${nameOf(key)}?`,
  subtitle: html`<code>${hintOf(key)}</code>`,
  crumbs: [...crumbs(ctx), { label: nameOf(key), href: here(ctx, keyPath(key.id)) }],
  body: confirm({
    title: "This cannot be undone",
    consequences: [
      ["Requests", "From the next request on, everything that uses this key is refused with 401."],
      ["Orders", "Orders that were accepted are fulfilled as usual."],
      ["Last used", lastUsed(key, ctx.now)],
    ],
    hidden: ctx.hidden(),
    action: here(ctx, `${keyPath(key.id)}/revoke`),
    verb: "Revoke",
    cancelHref: here(ctx, keyPath(key.id)),
    cancel: "Keep it",
  }),
});
