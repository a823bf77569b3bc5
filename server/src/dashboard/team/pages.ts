import { changeRole, removePerson, requireFactor } from "../../accounts/people/change-person.ts";
import { type Invited, invitePerson } from "../../accounts/people/invite-person.ts";
import { isFactorRequired, listPeople, type Person } from "../../accounts/people/list-people.ts";
import { resetFactor } from "../../accounts/people/reset-factor.ts";
import { isPermitted } from "../../accounts/permissions.ts";
import { requireFreshProof } from "../../accounts/sessions/session-life.ts";
import type { By } from "../../activity/record-activity.ts";
import { notFound } from "../../lib/problem.ts";
import { checkboxField } from "../../web/form/choice-fields.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { type ActionResult, redirect, showOnce } from "../../web/pages/define-page.ts";
import { linkButton } from "../../web/parts/button.ts";
import { secretOnce } from "../../web/parts/copy.ts";
import { row, stack } from "../../web/parts/panel.ts";
import {
  actorOf,
  BASE,
  type DashboardContext,
  type DashboardDeps,
  type DashboardFace,
  here,
} from "../session.ts";
import { renderPerson, roleForm } from "./person-page.ts";
import { inviteForm, renderTeam, type TeamData } from "./team-page.ts";

const PATH = `${BASE}/team`;

const teamOf = (ctx: DashboardContext) => ({ kind: "user", resellerId: ctx.session.resellerId }) as const;

/** Who changes people, after fresh proof. */
function changer(ctx: DashboardContext): By {
  requireFreshProof(ctx.session.account, ctx.now);
  return { actor: actorOf(ctx), address: ctx.address };
}

/** People, their roles and invitations. Everyone sees them; owners change them. */
export function teamPages(face: DashboardFace, deps: DashboardDeps): void {
  face.page({
    path: PATH,
    permission: "people.read",
    load: (ctx) => loadTeam(deps, ctx),
    render: (data, ctx) => renderFor(data, inviteForm.start(), ctx),
  });
  face.action({
    path: PATH,
    permission: "people.manage",
    form: inviteForm,
    once: true,
    async run({ email, name, role = "" }, ctx) {
      const by = changer(ctx);
      return showInvited(
        deps,
        await invitePerson(deps.accounts, teamOf(ctx), { email, name, role }, by),
        ctx,
      );
    },
    again: async (state, ctx) => renderFor(await loadTeam(deps, ctx), state, ctx),
  });
  face.action({
    path: `${PATH}/require-factor`,
    permission: "people.manage",
    form: defineForm({ required: checkboxField({ label: "Required" }) }),
    async run({ required }, ctx) {
      await requireFactor(deps.accounts, ctx.session.resellerId, required, changer(ctx));
      const said = required
        ? "A second factor is now required of everyone."
        : "The second factor is now optional.";
      return redirect(here(ctx, PATH), said);
    },
    again: async (state, ctx) => renderFor(await loadTeam(deps, ctx), state, ctx),
  });
  personPages(face, deps);
}

function personPages(face: DashboardFace, deps: DashboardDeps): void {
  const again = async (state: FormState, ctx: DashboardContext) => {
    const person = await findPerson(deps, ctx);
    return renderPerson(person, { ...state, typed: { role: [person.role], ...state.typed } }, ctx);
  };
  face.page({
    path: `${PATH}/:id`,
    permission: "people.manage",
    load: (ctx) => findPerson(deps, ctx),
    render: (person, ctx) => renderPerson(person, roleForm.start({ role: person.role }), ctx),
  });
  face.action({
    path: `${PATH}/:id/role`,
    permission: "people.manage",
    form: roleForm,
    async run({ role = "" }, ctx) {
      const by = changer(ctx);
      const changed = await changeRole(deps.accounts, teamOf(ctx), { id: idOf(ctx), role }, by);
      return redirect(here(ctx, PATH), `${changed.email} is now ${changed.role}.`);
    },
    again,
  });
  const nothing = defineForm({});
  face.action({
    path: `${PATH}/:id/remove`,
    permission: "people.manage",
    form: nothing,
    async run(_values, ctx) {
      const removed = await removePerson(deps.accounts, teamOf(ctx), idOf(ctx), changer(ctx));
      return redirect(here(ctx, PATH), `${removed.email} was removed.`);
    },
    again,
  });
  face.action({
    path: `${PATH}/:id/reset-factor`,
    permission: "people.manage",
    form: nothing,
    async run(_values, ctx) {
      const person = await resetFactor(deps.accounts, teamOf(ctx), idOf(ctx), changer(ctx));
      return redirect(here(ctx, PATH), `The second factor of ${person.email} was reset.`);
    },
    again,
  });
  face.action({
    path: `${PATH}/:id/invite`,
    permission: "people.manage",
    form: nothing,
    async run(_values, ctx) {
      const by = changer(ctx);
      const { email, name, role } = await findPerson(deps, ctx);
      return showInvited(
        deps,
        await invitePerson(deps.accounts, teamOf(ctx), { email, name, role }, by),
        ctx,
      );
    },
    again,
  });
}

async function loadTeam(deps: DashboardDeps, ctx: DashboardContext): Promise<TeamData> {
  const team = teamOf(ctx);
  const [people, required] = await Promise.all([
    listPeople(deps.db, team),
    isFactorRequired(deps.db, team.resellerId),
  ]);
  return { people, isFactorRequired: required };
}

const idOf = (ctx: DashboardContext): string => ctx.params.id ?? "";

/** Someone of another team looks like someone who does not exist. */
async function findPerson(deps: DashboardDeps, ctx: DashboardContext): Promise<Person> {
  const person = (await listPeople(deps.db, teamOf(ctx))).find(({ id }) => id === idOf(ctx));
  if (!person) throw notFound();
  return person;
}

const renderFor = (data: TeamData, state: FormState, ctx: DashboardContext) =>
  renderTeam(data, state, isPermitted({ kind: "user", role: ctx.session.role }, "people.manage"), ctx);

/** Without a mail server the link is shown once, to the inviter alone. */
function showInvited(deps: DashboardDeps, { email, link }: Invited, ctx: DashboardContext): ActionResult {
  if (deps.sendsMail)
    return redirect(here(ctx, PATH), `${email} was invited by email. The link is valid for 72 hours.`);
  return showOnce({
    title: "Invitation link",
    crumbs: [{ label: "Team", href: here(ctx, PATH) }],
    body: stack(
      secretOnce(
        `Send this link to ${email}`,
        [link],
        "This server sends no email. The link is shown only now, works once and is valid for 72 hours.",
      ),
      row(linkButton("Back to the team", here(ctx, PATH))),
    ),
  });
}
