import { invitePerson } from "../../accounts/people/invite-person.ts";
import { rehearse } from "../../db/rehearse.ts";
import { Problem } from "../../lib/problem.ts";
import { warnAboutReseller } from "../../pricing/warn-about-reseller.ts";
import { createReseller } from "../../resellers/create-reseller.ts";
import { freezeReseller, unfreezeReseller } from "../../resellers/freeze-reseller.ts";
import { limitReseller } from "../../resellers/limit-reseller.ts";
import { listResellers } from "../../resellers/list-resellers.ts";
import { changeReseller } from "../../resellers/update-reseller.ts";
import { redirect, showOnce } from "../../web/pages/define-page.ts";
import { environmentOf, here } from "../../web/pages/here.ts";
import { linkButton } from "../../web/parts/button.ts";
import { secretOnce } from "../../web/parts/copy.ts";
import { row, stack } from "../../web/parts/panel.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace, provedBy } from "../session.ts";
import { endpointPages } from "./endpoint-pages.ts";
import { keyPages } from "./key-pages.ts";
import { getListed, loadReseller, salesOf30Days } from "./load-reseller.ts";
import { renderReseller } from "./render-reseller.ts";
import { renderResellers } from "./render-resellers.ts";
import {
  createForm,
  editForm,
  inviteForm,
  reasonForm,
  renderCreate,
  renderEdit,
  renderFreeze,
  renderInvite,
  startCreate,
  startEdit,
} from "./reseller-forms.ts";

const PER_PAGE = 50;

/** Who sells, with their wallets, keys, endpoints and people. */
export function resellerPages(face: ConsoleFace, deps: ConsoleDeps): void {
  face.page({
    path: "/resellers",
    permission: "resellers.read",
    async load(ctx) {
      const q = ctx.query.q?.trim() ?? "";
      const asked = { q, cursor: ctx.query.cursor, limit: PER_PAGE };
      const page = await listResellers(deps, environmentOf(ctx), asked);
      return {
        q,
        page,
        sales: await salesOf30Days(
          deps,
          ctx,
          page.data.map(({ id }) => id),
        ),
      };
    },
    render: renderResellers,
  });
  face.page({
    path: "/resellers/:id",
    permission: "resellers.read",
    load: (ctx) => loadReseller(deps, ctx),
    render: renderReseller,
  });
  createPages(face, deps);
  editPages(face, deps);
  invitePages(face, deps);
  freezePages(face, deps);
  endpointPages(face, deps);
  keyPages(face, deps);
}

function createPages(face: ConsoleFace, deps: ConsoleDeps): void {
  face.page({
    path: "/resellers/new",
    permission: "resellers.manage",
    load: async () => startCreate(),
    render: renderCreate,
  });
  face.action({
    path: "/resellers",
    permission: "resellers.manage",
    form: createForm,
    once: true,
    async does(values, ctx) {
      await refusing(() => rehearse(deps, ({ db }) => createReseller(db, deps.clock, values, byOf(ctx))));
      return `Create the reseller ${values.name}.`;
    },
    async run(values, ctx) {
      const by = provedBy(ctx);
      const made = await refusing(() => createReseller(deps.db, deps.clock, values, by));
      const warned = await warnAboutReseller({ ...deps, settings: deps.pricing }, made.id);
      const said = [`${made.name} was created.`, ...warned, "Invite its owner next."].join(" ");
      return redirect(here(ctx, `/resellers/${made.id}`), said, warned.length === 0 ? "good" : "warn");
    },
    again: async (state, ctx) => renderCreate(state, ctx),
  });
}

function editPages(face: ConsoleFace, deps: ConsoleDeps): void {
  const path = "/resellers/:id/edit";
  face.page({
    path,
    permission: "resellers.manage",
    load: (ctx) => getListed(deps, ctx),
    render: (reseller, ctx) => renderEdit(reseller, startEdit(reseller), ctx),
  });
  face.action({
    path,
    permission: "resellers.manage",
    form: editForm,
    async does({ name, email, priceList }, ctx) {
      const reseller = await getListed(deps, ctx);
      const change = { name, email, priceList };
      await refusing(() => rehearse(deps, (trial) => changeReseller(trial, reseller.id, change, byOf(ctx))));
      return `Change the reseller ${reseller.name}.`;
    },
    async run({ name, email, priceList, orders, reads }, ctx) {
      const by = provedBy(ctx);
      const { id } = await getListed(deps, ctx);
      await refusing(() => changeReseller(deps, id, { name, email, priceList }, by));
      await refusing(() => limitReseller(deps, id, { orders: orders ?? null, reads: reads ?? null }, by));
      const warned = await warnAboutReseller({ ...deps, settings: deps.pricing }, id);
      const said = ["Saved.", ...warned].join(" ");
      return redirect(here(ctx, `/resellers/${id}`), said, warned.length === 0 ? "good" : "warn");
    },
    again: async (state, ctx) => renderEdit(await getListed(deps, ctx), state, ctx),
  });
}

function invitePages(face: ConsoleFace, deps: ConsoleDeps): void {
  const path = "/resellers/:id/invite";
  face.page({
    path,
    permission: "resellers.manage",
    load: (ctx) => getListed(deps, ctx),
    render: (reseller, ctx) => renderInvite(reseller, inviteForm.start({ role: "owner" }), ctx),
  });
  face.action({
    path,
    permission: "resellers.manage",
    form: inviteForm,
    once: true,
    async does({ email, name, role = "" }, ctx) {
      const reseller = await getListed(deps, ctx);
      const team = { kind: "user", resellerId: reseller.id } as const;
      await rehearse(deps.accounts, (trial) => invitePerson(trial, team, { email, name, role }, byOf(ctx)));
      return `Invite ${email} to the team of ${reseller.name}.`;
    },
    async run({ email, name, role = "" }, ctx) {
      const by = provedBy(ctx);
      const { id } = await getListed(deps, ctx);
      const team = { kind: "user", resellerId: id } as const;
      const invited = await invitePerson(deps.accounts, team, { email, name, role }, by);
      return showInvited(deps, id, invited, ctx);
    },
    again: async (state, ctx) => renderInvite(await getListed(deps, ctx), state, ctx),
  });
}

/** Without a mail server the link is shown once, to the inviter alone. */
function showInvited(
  deps: ConsoleDeps,
  resellerId: string,
  { email, link }: { email: string; link: string },
  ctx: ConsoleContext,
) {
  const back = here(ctx, `/resellers/${resellerId}`);
  if (deps.sendsMail) return redirect(back, `${email} was invited by email. The link is valid for 72 hours.`);
  const why = "This server sends no email. The link is shown only now, works once and is valid for 72 hours.";
  return showOnce({
    title: "Invitation link",
    crumbs: [{ label: "Reseller", href: back }],
    body: stack(
      secretOnce(`Send this link to ${email}`, [link], why),
      row(linkButton("Back to the reseller", back)),
    ),
  });
}

function freezePages(face: ConsoleFace, deps: ConsoleDeps): void {
  for (const [verb, change, said] of [
    ["freeze", freezeReseller, "is frozen. New orders are refused."],
    ["unfreeze", unfreezeReseller, "can place orders again."],
  ] as const) {
    const path = `/resellers/:id/${verb}`;
    face.page({
      path,
      permission: "resellers.manage",
      load: (ctx) => getListed(deps, ctx),
      render: (reseller, ctx) => renderFreeze(reseller, verb, reasonForm.start(), ctx),
    });
    face.action({
      path,
      permission: "resellers.manage",
      form: reasonForm,
      async does({ reason }, ctx) {
        const { id, name } = await getListed(deps, ctx);
        await refusing(() => rehearse(deps, (trial) => change(trial, id, reason, byOf(ctx))));
        return verb === "freeze"
          ? `Freeze ${name}. New orders are refused.`
          : `Unfreeze ${name}. It can place orders again.`;
      },
      async run({ reason }, ctx) {
        const by = provedBy(ctx);
        const { id, name } = await getListed(deps, ctx);
        await refusing(() => change(deps, id, reason, by));
        return redirect(here(ctx, `/resellers/${id}`), `${name} ${said}`);
      },
      again: async (state, ctx) => renderFreeze(await getListed(deps, ctx), verb, state, ctx),
    });
  }
}

/** What the verbs of resellers refuse, as a sentence in the form. Their messages are those of the command. */
async function refusing<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof RangeError) || error.constructor !== RangeError) throw error;
    const { message } = error;
    throw new Problem("invalid_request", `${message.charAt(0).toUpperCase()}${message.slice(1)}.`);
  }
}
