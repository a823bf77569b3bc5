import type { AccountKind, Permission, Role } from "../../accounts/permissions.ts";
import { isPermitted } from "../../accounts/permissions.ts";
import { requireFreshProof } from "../../accounts/sessions/session-life.ts";
import type { By } from "../../activity/record-activity.ts";
import type { Face } from "../../web/pages/serve-face.ts";
import type { Html } from "../../web/template/html.ts";
import type { AccessContext, AccessSession } from "../site.ts";

/** The people of a team, in the words of its face. Whose team it is follows from the session. */
export type PeopleSection<Allowed extends Permission> = {
  /** Below the base of the face. */
  path: string;
  title: string;
  kind: AccountKind;
  /** What each role may do, in the words of the invitation form. */
  roleHints: readonly (readonly [role: Role, hint: string])[];
  read: Allowed;
  manage: Allowed;
  /** What stays when a person is removed, beside the activity log. */
  keeps?: readonly [what: string, that: string];
  /** A panel for those who manage the team. */
  extraPanel?: (ctx: AccessContext) => Promise<Html>;
};

export type PeopleFace<Allowed extends Permission> = Face<AccessSession, Allowed>;

export const mayManage = (section: { kind: AccountKind; manage: Permission }, ctx: AccessContext): boolean =>
  isPermitted({ kind: section.kind, role: ctx.session.account.role }, section.manage);

export const byOf = ({ session, address }: AccessContext): By => ({
  actor: { kind: session.account.kind, id: session.account.accountId },
  address,
});

/** Who changes people, after fresh proof. */
export function changerOf(ctx: AccessContext): By {
  requireFreshProof(ctx.session.account, ctx.now);
  return byOf(ctx);
}
