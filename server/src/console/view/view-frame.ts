import { dashboardFrame } from "../../dashboard/frame.ts";
import { findReseller } from "../../resellers/queries.ts";
import type { Frame } from "../../web/layout/frame.ts";
import { here } from "../../web/pages/here.ts";
import { html } from "../../web/template/html.ts";
import { type ConsoleContext, type ConsoleDeps, may } from "../session.ts";
import { viewContext } from "./enter-view.ts";

const VIEWED_ID = /^\/view\/([\w.:-]{1,64})(?:[/?]|$)/;

/** The frame of the reseller's dashboard around its pages in the console; undefined for every other page. */
export async function viewFrame(
  deps: Pick<ConsoleDeps, "db">,
  paths: ReadonlySet<string>,
  ctx: ConsoleContext,
): Promise<Frame | undefined> {
  const [, id] = VIEWED_ID.exec(ctx.url) ?? [];
  if (id === undefined || !may(ctx, "resellers.view")) return undefined;
  const reseller = await findReseller(deps.db, id);
  if (!reseller) return undefined;
  const frame = await dashboardFrame(deps, paths, viewContext(ctx, id, {}));
  const { account, role } = ctx.session;
  const frozen = reseller.frozenAt === null ? "" : " This reseller is frozen.";
  return {
    ...frame,
    owner: `${reseller.name}, viewed by staff`,
    banner: {
      tone: "warn",
      text: html`<b>Viewing as ${reseller.name}</b> You can change nothing and see no codes. The reseller sees that the operator looked.${frozen}`,
      link: { label: "Back to the console", href: here(ctx, `/resellers/${id}`) },
    },
    person: {
      email: account.email,
      role: `${role}, staff`,
      links: [{ label: "Operator console", href: here(ctx, "/") }],
      signOutAction: "/sign-out",
    },
  };
}
