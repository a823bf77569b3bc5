import type { Person } from "../../accounts/people/list-people.ts";
import type { Permission } from "../../accounts/permissions.ts";
import { selectField } from "../../web/form/choice-fields.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { chip } from "../../web/parts/chip.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { columns, panel } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { type AccessContext, at } from "../site.ts";
import { mayManage, type PeopleSection } from "./people-section.ts";

type Section = PeopleSection<Permission>;

export type PeopleData = { people: readonly Person[]; extra?: Html | undefined };

export const roleFieldOf = ({ roleHints }: Pick<Section, "roleHints">) =>
  selectField({
    label: "Role",
    required: true,
    choices: roleHints.map(([role, hint]) => ({ value: role, label: `${role}: ${hint}` })),
  });

export const inviteFormOf = (section: Pick<Section, "roleHints">) =>
  defineForm({
    email: textField({ label: "Email", required: true, type: "email", maxLength: 254 }),
    name: textField({ label: "Name" }),
    role: roleFieldOf(section),
  });

/** Everyone on the team. Those who manage it invite from here. */
export function renderPeople(
  section: Section,
  { people, extra }: PeopleData,
  state: FormState,
  ctx: AccessContext,
): PageContent {
  const isManaged = mayManage(section, ctx);
  const list = peoplePanel(section, people, isManaged, ctx);
  return {
    title: section.title,
    subtitle: countOf(people),
    body: isManaged ? columns(list, [invitePanel(section, state, ctx), extra]) : list,
  };
}

const countOf = (people: readonly Person[]): string => {
  const invited = people.filter(({ state }) => state === "invited").length;
  const active = people.length - invited;
  return `${active} ${active === 1 ? "person" : "people"}${invited > 0 ? `, ${invited} invited` : ""}`;
};

const peoplePanel = (
  section: Section,
  people: readonly Person[],
  isManaged: boolean,
  ctx: AccessContext,
): Html =>
  tablePanel({
    caption: "People",
    rows: people,
    columns: [
      { head: "Person", cell: (person) => nameOf(section, person, isManaged, ctx), wraps: true },
      { head: "Role", cell: ({ role }) => role },
      { head: "State", cell: ({ state }) => chip(state) },
      { head: "Second factor", cell: factorOf },
      { head: "Last seen", cell: ({ lastSeenAt }) => (lastSeenAt ? time(lastSeenAt, ctx.now) : "never") },
    ],
    empty: emptyState("Nobody is here yet", "Invite the people who work with you."),
  });

const nameOf = (
  { path }: Section,
  { id, email, name }: Person,
  isManaged: boolean,
  ctx: AccessContext,
): Html => {
  const isSelf = id === ctx.session.account.accountId;
  const label = html`${name === "" ? email : name}${isSelf ? " (you)" : ""}`;
  const first = isManaged ? html`<a class="link" href="${at(ctx, `${path}/${id}`)}">${label}</a>` : label;
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

const invitePanel = (section: Section, state: FormState, ctx: AccessContext): Html =>
  panel(
    { title: "Invite someone" },
    inviteFormOf(section).render({
      action: at(ctx, section.path),
      hidden: ctx.hidden({ once: true }),
      state,
      submit: "Invite",
      id: "invite",
    }),
  );
