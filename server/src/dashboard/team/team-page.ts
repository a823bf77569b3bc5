import type { Person } from "../../accounts/people/list-people.ts";
import { USER_ROLES, type UserRole } from "../../accounts/permissions.ts";
import { selectField } from "../../web/form/choice-fields.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { button } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { columns, panel } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { BASE, type DashboardContext, here } from "../session.ts";

export type TeamData = { people: readonly Person[]; isFactorRequired: boolean };

/** What each role may do, in the words of the invitation form. */
export const ROLE_HINTS: Readonly<Record<UserRole, string>> = {
  owner: "everything",
  developer: "keys, webhooks, requests, test orders; reads the rest",
  finance: "wallet, deposits, statements; reads orders without codes",
  support: "orders, reveals codes",
  viewer: "reads, no codes",
};

export const roleField = selectField({
  label: "Role",
  required: true,
  choices: USER_ROLES.map((role) => ({ value: role, label: `${role}: ${ROLE_HINTS[role]}` })),
});

export const inviteForm = defineForm({
  email: textField({ label: "Email", required: true, type: "email", maxLength: 254 }),
  name: textField({ label: "Name" }),
  role: roleField,
});

/** Everyone on the team. Owners invite from here and require a second factor. */
export const renderTeam = (
  data: TeamData,
  state: FormState,
  isOwner: boolean,
  ctx: DashboardContext,
): PageContent => ({
  title: "Team",
  subtitle: countOf(data.people),
  body: isOwner
    ? columns(peoplePanel(data.people, isOwner, ctx), [invitePanel(state, ctx), factorPanel(data, ctx)])
    : peoplePanel(data.people, isOwner, ctx),
});

const countOf = (people: readonly Person[]): string => {
  const invited = people.filter(({ state }) => state === "invited").length;
  const active = people.length - invited;
  return `${active} ${active === 1 ? "person" : "people"}${invited > 0 ? `, ${invited} invited` : ""}`;
};

const peoplePanel = (people: readonly Person[], isOwner: boolean, ctx: DashboardContext): Html =>
  tablePanel({
    caption: "People",
    rows: people,
    columns: [
      { head: "Person", cell: (person) => nameOf(person, isOwner, ctx), wraps: true },
      { head: "Role", cell: ({ role }) => role },
      { head: "State", cell: ({ state }) => chip(state) },
      { head: "Second factor", cell: factorOf },
      { head: "Last seen", cell: ({ lastSeenAt }) => (lastSeenAt ? time(lastSeenAt, ctx.now) : "never") },
    ],
    empty: emptyState("Nobody is here yet", "Invite the people who work with you."),
  });

const nameOf = ({ id, email, name }: Person, isOwner: boolean, ctx: DashboardContext): Html => {
  const isSelf = id === ctx.session.account.accountId;
  const label = html`${name === "" ? email : name}${isSelf ? " (you)" : ""}`;
  const first = isOwner
    ? html`<a class="link" href="${here(ctx, `${BASE}/team/${id}`)}">${label}</a>`
    : label;
  return name === "" ? first : twoLines(first, email);
};

export const factorOf = ({ hasTotp, passkeys, state }: Person): string => {
  if (state === "invited") return "–";
  const parts = [
    ...(passkeys > 0 ? [passkeys === 1 ? "passkey" : `${passkeys} passkeys`] : []),
    ...(hasTotp ? ["app"] : []),
  ];
  return parts.length === 0 ? "none" : parts.join(", ");
};

const invitePanel = (state: FormState, ctx: DashboardContext): Html =>
  panel(
    { title: "Invite someone" },
    inviteForm.render({
      action: here(ctx, `${BASE}/team`),
      hidden: ctx.hidden({ once: true }),
      state,
      submit: "Invite",
      id: "invite",
    }),
  );

const factorPanel = ({ isFactorRequired }: TeamData, ctx: DashboardContext): Html =>
  panel(
    { title: "Second factor" },
    html`<form class="form" method="post" action="${here(ctx, `${BASE}/team/require-factor`)}">${ctx.hidden()}<p>${
      isFactorRequired
        ? "Everyone on the team needs a second factor. People without one are asked for it before they see anything else."
        : "Everyone decides for themselves whether to use a second factor."
    }</p><input type="hidden" name="required" value="${isFactorRequired ? "" : "yes"}"><div class="row">${button(
      isFactorRequired ? "Make it optional" : "Require it of everyone",
    )}</div></form>`,
  );
