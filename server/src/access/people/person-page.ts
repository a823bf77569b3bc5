import type { Person } from "../../accounts/people/list-people.ts";
import type { Permission } from "../../accounts/permissions.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { chip } from "../../web/parts/chip.ts";
import { confirm } from "../../web/parts/confirm.ts";
import { columns, facts, panel } from "../../web/parts/panel.ts";
import { smallForm } from "../../web/parts/small-form.ts";
import { time } from "../../web/parts/time.ts";
import { type Html, html } from "../../web/template/html.ts";
import { type AccessContext, at } from "../site.ts";
import { factorOf, roleFieldOf } from "./people-page.ts";
import type { PeopleSection } from "./people-section.ts";

type Section = PeopleSection<Permission>;

export const roleFormOf = (section: Pick<Section, "roleHints">) => defineForm({ role: roleFieldOf(section) });

/** One person, for those who manage the team: change the role, reset the second factor, remove. */
export function renderPerson(
  section: Section,
  person: Person,
  state: FormState,
  ctx: AccessContext,
): PageContent {
  const isSelf = person.id === ctx.session.account.accountId;
  return {
    title: person.name === "" ? person.email : person.name,
    ...(person.name === "" ? {} : { subtitle: person.email }),
    crumbs: [{ label: section.title, href: at(ctx, section.path) }],
    body: columns(
      [rolePanel(section, person, state, ctx), removal(section, person, ctx)],
      [
        factsPanel(section, person, ctx),
        person.state === "active" && !isSelf ? factorReset(section, person, ctx) : undefined,
      ],
    ),
  };
}

const factsPanel = (section: Section, person: Person, ctx: AccessContext): Html =>
  panel(
    {
      title: "Account",
      ...(person.state === "invited"
        ? {
            foot: smallForm(
              ctx,
              at(ctx, `${section.path}/${person.id}/invite`),
              "",
              "Make a new invitation link",
            ),
          }
        : {}),
    },
    facts([
      ["State", chip(person.state)],
      [person.state === "invited" ? "Invited" : "Added", time(person.createdAt, ctx.now)],
      ["Last seen", person.lastSeenAt ? time(person.lastSeenAt, ctx.now) : "never"],
      ["Second factor", factorOf(person)],
    ]),
  );

const rolePanel = (section: Section, person: Person, state: FormState, ctx: AccessContext): Html =>
  panel(
    { title: "Role" },
    roleFormOf(section).render({
      action: at(ctx, `${section.path}/${person.id}/role`),
      hidden: ctx.hidden(),
      state,
      submit: "Change role",
      note: html`<p class="quiet">The new role holds from the person's next request.</p>`,
      id: "role",
    }),
  );

const factorReset = (section: Section, person: Person, ctx: AccessContext): Html =>
  panel(
    { title: "Second factor lost?" },
    html`<p>Removes the authenticator app, all passkeys and all recovery codes of this person, and signs them out everywhere. The password stays. The person is told by email.</p>${smallForm(ctx, at(ctx, `${section.path}/${person.id}/reset-factor`), "", "Reset second factor")}`,
  );

const removal = (section: Section, person: Person, ctx: AccessContext): Html =>
  confirm({
    title:
      person.state === "invited" ? `Withdraw the invitation of ${person.email}?` : `Remove ${person.email}?`,
    consequences:
      person.state === "invited"
        ? [["The link", "stops working at once."]]
        : [
            ["The person", "is signed out everywhere at once and cannot come back without a new invitation."],
            ...(section.keeps ? [section.keeps] : []),
            ["The activity log", "keeps what the person did."],
          ],
    hidden: ctx.hidden(),
    action: at(ctx, `${section.path}/${person.id}/remove`),
    verb: person.state === "invited" ? "Withdraw" : "Remove",
    cancelHref: at(ctx, section.path),
  });
