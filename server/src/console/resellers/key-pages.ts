import { recordOnKey } from "../../keys/key-activity.ts";
import { keyPrefix } from "../../keys/key-format.ts";
import { unfreezeKey } from "../../keys/limits/unfreeze-key.ts";
import { getKey, keyState } from "../../keys/list-keys.ts";
import type { KeyRow } from "../../keys/queries.ts";
import { notFound } from "../../lib/problem.ts";
import type { ResellerRow } from "../../resellers/queries.ts";
import { defineForm } from "../../web/form/define-form.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { environmentOf, here } from "../../web/pages/here.ts";
import { confirm } from "../../web/parts/confirm.ts";
import { notice } from "../../web/parts/notice.ts";
import { stack } from "../../web/parts/panel.ts";
import { exactTime } from "../../web/parts/time.ts";
import { type ConsoleContext, type ConsoleDeps, type ConsoleFace, provedBy } from "../session.ts";
import { getListed } from "./load-reseller.ts";

const PATH = "/resellers/:id/keys/:key/unfreeze";

type Frozen = { reseller: ResellerRow; key: KeyRow };

/** Only what spending too fast has frozen: a key that has ended stays so. */
export const canUnfreeze = (key: KeyRow, now: Date): boolean => keyState(key, now) === "frozen";

export const unfreezeHref = (ctx: ConsoleContext, resellerId: string, keyId: string): string =>
  here(ctx, `/resellers/${encodeURIComponent(resellerId)}/keys/${encodeURIComponent(keyId)}/unfreeze`);

/** Lets a key place orders again that was frozen because it was about to spend far more than usual. */
export function keyPages(face: ConsoleFace, deps: ConsoleDeps): void {
  face.page({
    path: PATH,
    permission: "resellers.manage",
    load: (ctx) => load(deps, ctx),
    render: (data, ctx) => render(data, ctx),
  });
  face.action({
    path: PATH,
    permission: "resellers.manage",
    form: defineForm({}),
    async does(_values, ctx) {
      const { reseller, key } = await load(deps, ctx);
      return `Unfreeze a key of ${reseller.name} (${keyName(key)}). It places orders again.`;
    },
    async run(_values, ctx) {
      // The key may have leaked, and unfreezing it spends the reseller's money.
      const by = provedBy(ctx);
      const { reseller, key } = await load(deps, ctx);
      let isDone = false;
      await unfreezeKey(deps, key.id, async (tx, { frozenAt }) => {
        isDone = true;
        const before = { frozenAt: frozenAt?.toISOString() ?? null };
        await recordOnKey(tx, deps.clock, key, by, { action: "key.unfrozen", id: key.id, before });
      });
      return redirect(
        here(ctx, `/resellers/${reseller.id}`),
        isDone
          ? "The key is unfrozen. It places orders again."
          : "The key was not frozen any more. Nothing was done.",
      );
    },
    again: async (state, ctx) => render(await load(deps, ctx), ctx, state.formError),
  });
}

async function load(deps: ConsoleDeps, ctx: ConsoleContext): Promise<Frozen> {
  const { key = "" } = ctx.params;
  if (key.includes("\0")) throw notFound();
  const reseller = await getListed(deps, ctx);
  const tenant = { resellerId: reseller.id, environment: environmentOf(ctx) };
  return { reseller, key: await getKey(deps.db, tenant, key) };
}

const keyName = (key: KeyRow): string =>
  `${key.name === "" ? "Unnamed key" : key.name}, ${keyPrefix(key.environment)}…${key.lastFour}`;

const render = ({ reseller, key }: Frozen, ctx: ConsoleContext, error?: string): PageContent => {
  const back = here(ctx, `/resellers/${reseller.id}`);
  const { frozenAt } = key;
  return {
    title: "Unfreeze key",
    subtitle: keyName(key),
    crumbs: [
      { label: "Resellers", href: here(ctx, "/resellers") },
      { label: reseller.name, href: back },
    ],
    body: stack(
      error === undefined ? undefined : notice("bad", error),
      canUnfreeze(key, ctx.now) && frozenAt !== null
        ? confirm({
            title: "Unfreeze this key?",
            consequences: [
              [
                "Why it is frozen",
                `It was about to spend far more than usual in an hour, at ${exactTime(frozenAt)}.`,
              ],
              [
                "New orders",
                "Accepted again, and paid from the wallet. Orders that were refused stay refused.",
              ],
              ["Until the next full hour", "What it spends does not freeze it."],
              ["Before", "Ask the reseller whether the orders were its own. If not, it must revoke the key."],
              ["The reseller", "Sees in its activity log that the operator unfroze the key."],
            ],
            hidden: ctx.hidden(),
            action: unfreezeHref(ctx, reseller.id, key.id),
            verb: "Unfreeze",
            cancelHref: back,
            isDestructive: false,
          })
        : notice("quiet", "Nothing to unfreeze", "The key is not frozen."),
    ),
  };
};
