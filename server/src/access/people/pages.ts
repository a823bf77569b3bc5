import { changeRole, removePerson } from "../../accounts/people/change-person.ts";
import { type Invited, invitePerson } from "../../accounts/people/invite-person.ts";
import { listPeople, type Person } from "../../accounts/people/list-people.ts";
import { resetFactor } from "../../accounts/people/reset-factor.ts";
import type { Permission } from "../../accounts/permissions.ts";
import type { By } from "../../activity/record-activity.ts";
import { rehearse } from "../../db/rehearse.ts";
import { notFound } from "../../lib/problem.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { type ActionResult, redirect, showOnce } from "../../web/pages/define-page.ts";
import { linkButton } from "../../web/parts/button.ts";
import { secretOnce } from "../../web/parts/copy.ts";
import { row, stack } from "../../web/parts/panel.ts";
import { type AccessContext, type AccessDeps, at } from "../site.ts";
import { inviteFormOf, type PeopleData, renderPeople } from "./people-page.ts";
import { byOf, changerOf, mayManage, type PeopleFace, type PeopleSection } from "./people-section.ts";
import { renderPerson, roleFormOf } from "./person-page.ts";

const teamOf = (ctx: AccessContext) => ctx.session.account.team;
const idOf = (ctx: AccessContext): string => ctx.params.id ?? "";

/** People, their roles and invitations. Everyone on the team sees them; those with its top role change them. */
export function peoplePages<Allowed extends Permission>(
  face: PeopleFace<Allowed>,
  deps: AccessDeps,
  section: PeopleSection<Allowed>,
): void {
  const path = `${deps.site.base}${section.path}`;
  const form = inviteFormOf(section);
  face.page({
    path,
    permission: section.read,
    load: (ctx) => loadPeople(deps, section, ctx),
    render: (data, ctx) => renderPeople(section, data, form.start(), ctx),
  });
  face.action({
    path,
    permission: section.manage,
    form,
    once: true,
    async does({ email, name, role = "" }, ctx) {
      const input = { email, name, role };
      await rehearse(deps.accounts, (trial) => invitePerson(trial, teamOf(ctx), input, byOf(ctx)));
      return `Invite ${email} as ${role}.`;
    },
    async run({ email, name, role = "" }, ctx) {
      const by = changerOf(ctx);
      return showInvited(
        deps,
        section,
        await invitePerson(deps.accounts, teamOf(ctx), { email, name, role }, by),
        ctx,
      );
    },
    again: async (state, ctx) => renderPeople(section, await loadPeople(deps, section, ctx), state, ctx),
  });
  personPages(face, deps, section, path);
}

function personPages<Allowed extends Permission>(
  face: PeopleFace<Allowed>,
  deps: AccessDeps,
  section: PeopleSection<Allowed>,
  path: string,
): void {
  const { accounts } = deps;
  const roleForm = roleFormOf(section);
  const permission = section.manage;
  const again = async (state: FormState, ctx: AccessContext) => {
    const person = await findPerson(deps, ctx);
    return renderPerson(section, person, { ...state, typed: { role: [person.role], ...state.typed } }, ctx);
  };
  face.page({
    path: `${path}/:id`,
    permission,
    load: (ctx) => findPerson(deps, ctx),
    render: (person, ctx) => renderPerson(section, person, roleForm.start({ role: person.role }), ctx),
  });
  face.action({
    path: `${path}/:id/role`,
    permission,
    form: roleForm,
    async does({ role = "" }, ctx) {
      const { email } = await findPerson(deps, ctx);
      const input = { id: idOf(ctx), role };
      await rehearse(accounts, (trial) => changeRole(trial, teamOf(ctx), input, byOf(ctx)));
      return `Make ${email} ${role}.`;
    },
    async run({ role = "" }, ctx) {
      const by = changerOf(ctx);
      const changed = await changeRole(accounts, teamOf(ctx), { id: idOf(ctx), role }, by);
      return redirect(at(ctx, section.path), `${changed.email} is now ${changed.role}.`);
    },
    again,
  });
  type Act = (accounts: AccessDeps["accounts"], ctx: AccessContext, by: By) => Promise<{ email: string }>;
  const act = (
    name: string,
    verb: Act,
    does: (email: string) => string,
    answer: (done: Awaited<ReturnType<Act>>, ctx: AccessContext) => ActionResult,
  ) =>
    face.action({
      path: `${path}/:id/${name}`,
      permission,
      form: defineForm({}),
      async does(_values, ctx) {
        const { email } = await findPerson(deps, ctx);
        await rehearse(accounts, (trial) => verb(trial, ctx, byOf(ctx)));
        return does(email);
      },
      run: async (_values, ctx) => answer(await verb(accounts, ctx, changerOf(ctx)), ctx),
      again,
    });
  act(
    "remove",
    (deps, ctx, by) => removePerson(deps, teamOf(ctx), idOf(ctx), by),
    (email) => `Remove ${email}. All of its sessions end at once.`,
    ({ email }, ctx) => redirect(at(ctx, section.path), `${email} was removed.`),
  );
  act(
    "reset-factor",
    (deps, ctx, by) => resetFactor(deps, teamOf(ctx), idOf(ctx), by),
    (email) => `Reset the second factor of ${email}.`,
    ({ email }, ctx) => redirect(at(ctx, section.path), `The second factor of ${email} was reset.`),
  );
  face.action({
    path: `${path}/:id/invite`,
    permission,
    form: defineForm({}),
    does: async (_values, ctx) => `Make a new invitation link for ${(await findPerson(deps, ctx)).email}.`,
    async run(_values, ctx) {
      const by = changerOf(ctx);
      const { email } = await findPerson(deps, ctx);
      return showInvited(deps, section, await invitePerson(accounts, teamOf(ctx), { email }, by), ctx);
    },
    again,
  });
}

async function loadPeople(
  { accounts }: AccessDeps,
  section: PeopleSection<Permission>,
  ctx: AccessContext,
): Promise<PeopleData> {
  const [people, extra] = await Promise.all([
    listPeople(accounts.db, teamOf(ctx)),
    mayManage(section, ctx) ? section.extraPanel?.(ctx) : undefined,
  ]);
  return { people, extra };
}

/** Someone of another team looks like someone who does not exist. */
async function findPerson({ accounts }: AccessDeps, ctx: AccessContext): Promise<Person> {
  const person = (await listPeople(accounts.db, teamOf(ctx))).find(({ id }) => id === idOf(ctx));
  if (!person) throw notFound();
  return person;
}

/** Without a mail server the link is shown once, to the inviter alone. */
function showInvited(
  { sendsMail }: AccessDeps,
  { title, path }: Pick<PeopleSection<Permission>, "title" | "path">,
  { email, link }: Invited,
  ctx: AccessContext,
): ActionResult {
  const back = at(ctx, path);
  if (sendsMail) return redirect(back, `${email} was invited by email. The link is valid for 72 hours.`);
  return showOnce({
    title: "Invitation link",
    crumbs: [{ label: title, href: back }],
    body: stack(
      secretOnce(
        `Send this link to ${email}`,
        [link],
        "This server sends no email. The link is shown only now, works once and is valid for 72 hours.",
      ),
      row(linkButton("Go back", back)),
    ),
  });
}
