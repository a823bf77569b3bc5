import type { AccountDeps } from "../accounts/account-deps.ts";
import type { AccountRow } from "../accounts/account-queries.ts";
import type { Face as FaceName } from "../accounts/permissions.ts";
import type { Session } from "../accounts/sessions/find-session.ts";
import type { PageContext } from "../web/pages/define-page.ts";
import { here } from "../web/pages/here.ts";
import type { Face } from "../web/pages/serve-face.ts";

/** Who is signed in, as the database had it when this request began. Each face knows more of its own people. */
export type AccessSession = {
  account: Session;
  /** In every form of the session. */
  formToken: string;
};

/** For everyone who is signed in, even without the second factor that is required of them: one's own account. */
export const OWN_ACCOUNT = "own_account";

export type AccessFace = Face<AccessSession, typeof OWN_ACCOUNT>;
export type AccessContext = PageContext<AccessSession>;
/** A page that needs no session. There may be one all the same. */
export type OpenContext = PageContext<AccessSession | undefined>;

/** The face that people sign in to, in the words of its pages. */
export type Site = {
  face: FaceName;
  /** Before all of its paths: `/dashboard`, or empty on a separate listener. */
  base: string;
  /** Such as "the reseller dashboard". */
  name: string;
  /** Who helps someone who cannot sign in, such as "an owner of your team". */
  helper: string;
  /** Why a second factor is required, where it is. */
  factorReason: string;
  /** What someone who accepts an invitation joins. */
  teamName: (account: AccountRow) => Promise<string>;
};

/** What the pages between people and their sessions work with. */
export type AccessDeps = {
  site: Site;
  accounts: AccountDeps;
  /** Whether letters reach people. Otherwise links are shown once to the person who asked for them. */
  sendsMail: boolean;
};

type Placed = Pick<PageContext<unknown>, "base" | "query">;

/** A path of the face, in the environment of this page. */
export const at = (ctx: Placed, path: string, query?: Parameters<typeof here>[2]): string =>
  here(ctx, `${ctx.base}${path}`, query);

export const homeOf = ({ base }: Pick<PageContext<unknown>, "base">): string => base || "/";
