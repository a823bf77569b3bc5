import type { Person } from "../../accounts/people/list-people.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { chip } from "../../web/parts/chip.ts";
import { confirm } from "../../web/parts/confirm.ts";
import { columns, facts, panel } from "../../web/parts/panel.ts";
import { smallForm } from "../../web/parts/small-form.ts";
import { time } from "../../web/parts/time.ts";
import { type Html, html } from "../../web/template/html.ts";
import { BASE, type DashboardContext, here } from "../session.ts";
import { factorOf, roleField } from "./team-page.ts";

export const roleForm = defineForm({ role: roleField });

/** One person, for owners: change the role, reset the second factor, remove. */
export function renderPerson(person: Person, state: FormState, ctx: DashboardContext): PageContent {
  const isSelf = person.id === ctx.session.account.accountId;
  return {
    title: person.name === "" ? person.email : person.name,
    ...(person.name === "" ? {} : { subtitle: person.email }),
    crumbs: [{ label: "Team", href: here(ctx, `${BASE}/team`) }],
    body: columns(
      [rolePanel(person, state, ctx), removal(person, ctx)],
      [factsPanel(person, ctx), person.state === "active" && !isSelf ? factorReset(person, ctx) : undefined],
    ),
  };
}

const factsPanel = (person: Person, ctx: DashboardContext): Html =>
  panel(
    {
      title: "Account",
      ...(person.state === "invited"
        ? {
            foot: smallForm(
              ctx,
              here(ctx, `${BASE}/team/${person.id}/invite`),
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

const rolePanel = (person: Person, state: FormState, ctx: DashboardContext): Html =>
  panel(
    { title: "Role" },
    roleForm.render({
      action: here(ctx, `${BASE}/team/${person.id}/role`),
      hidden: ctx.hidden(),
      state,
      submit: "Change role",
      note: html`<p class="quiet">The new role holds from the person's next request.</p>`,
      id: "role",
    }),
  );

const factorReset = (person: Person, ctx: DashboardContext): Html =>
  panel(
    { title: "Second factor lost?" },
    html`<p>Removes the authenticator app, all passkeys and all recovery codes of this person, and signs them out everywhere. The password stays. The person is told by email.</p>${smallForm(ctx, here(ctx, `${BASE}/team/${person.id}/reset-factor`), "", "Reset second factor")}`,
  );

const removal = (person: Person, ctx: DashboardContext): Html =>
  confirm({
    title:
      person.state === "invited" ? `Withdraw the invitation of ${person.email}?` : `Remove ${person.email}?`,
    consequences:
      person.state === "invited"
        ? [["The link", "stops working at once."]]
        : [
            ["The person", "is signed out everywhere at once and cannot come back without a new invitation."],
            ["Keys and endpoints", "that the person made keep working."],
            ["The activity log", "keeps what the person did."],
          ],
    hidden: ctx.hidden(),
    action: here(ctx, `${BASE}/team/${person.id}/remove`),
    verb: person.state === "invited" ? "Withdraw" : "Remove",
    cancelHref: here(ctx, `${BASE}/team`),
  });
