import { peoplePages } from "../../access/people/pages.ts";
import { changerOf, type PeopleSection } from "../../access/people/people-section.ts";
import type { AccessDeps } from "../../access/site.ts";
import { requireFactor } from "../../accounts/people/change-person.ts";
import { isFactorRequired } from "../../accounts/people/list-people.ts";
import type { UserPermission } from "../../accounts/permissions.ts";
import { checkboxField } from "../../web/form/choice-fields.ts";
import { defineForm } from "../../web/form/define-form.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { button } from "../../web/parts/button.ts";
import { panel } from "../../web/parts/panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { BASE, type DashboardContext, type DashboardFace, here } from "../session.ts";

const PATH = `${BASE}/team`;

/** People, their roles and invitations. Everyone sees them; owners change them, and require a second factor. */
export function teamPages(face: DashboardFace, deps: AccessDeps): void {
  const section: PeopleSection<UserPermission> = {
    ...{ path: "/team", title: "Team", kind: "user", read: "people.read", manage: "people.manage" },
    roleHints: [
      ["owner", "everything"],
      ["developer", "keys, webhooks, requests, test orders; reads the rest"],
      ["finance", "wallet, deposits, statements; reads orders without codes"],
      ["support", "orders, reveals codes"],
      ["viewer", "reads, no codes"],
    ],
    keeps: ["Keys and endpoints", "that the person made keep working."],
    extraPanel: (ctx) => loadFactorPanel(deps, ctx as DashboardContext),
  };
  peoplePages<UserPermission>(face, deps, section);
  face.action({
    path: `${PATH}/require-factor`,
    permission: "people.manage",
    form: defineForm({ required: checkboxField({ label: "Required" }) }),
    does: ({ required }) =>
      required ? "Require a second factor of everyone on the team." : "Make the second factor optional.",
    async run({ required }, ctx) {
      await requireFactor(deps.accounts, ctx.session.resellerId, required, changerOf(ctx));
      const said = required
        ? "A second factor is now required of everyone."
        : "The second factor is now optional.";
      return redirect(here(ctx, PATH), said);
    },
    again: async (_state, ctx) => ({ title: "Second factor", body: await loadFactorPanel(deps, ctx) }),
  });
}

async function loadFactorPanel({ accounts }: AccessDeps, ctx: DashboardContext): Promise<Html> {
  const isRequired = await isFactorRequired(accounts.db, ctx.session.resellerId);
  return panel(
    { title: "Second factor" },
    html`<form class="form" method="post" action="${here(ctx, `${PATH}/require-factor`)}">${ctx.hidden()}<p>${
      isRequired
        ? "Everyone on the team needs a second factor. People without one are asked for it before they see anything else."
        : "Everyone decides for themselves whether to use a second factor."
    }</p><input type="hidden" name="required" value="${isRequired ? "" : "yes"}"><div class="row">${button(
      isRequired ? "Make it optional" : "Require it of everyone",
    )}</div></form>`,
  );
}
