import { countUnseen } from "../alerts/queries.ts";
import { countToCredit } from "../deposits/deposit-queries.ts";
import { countWaiting } from "../fulfilment/operate/count-waiting.ts";
import { countWaitingRows } from "../wallet/proposals/proposal-queries.ts";
import { environmentOf } from "../web/pages/here.ts";
import type { NavCounts } from "./frame.ts";
import type { ConsoleContext, ConsoleDeps } from "./session.ts";

/** The navigation shows "99+" for more, so counting ends there. */
const COUNTED_MAX = 100;

/** What waits for a person in each section, for the navigation of every page. Staff who must add a factor first see none. */
export async function countNav({ db }: Pick<ConsoleDeps, "db">, ctx: ConsoleContext): Promise<NavCounts> {
  if (ctx.session.account.mustAddFactor) return {};
  const environment = environmentOf(ctx);
  const [{ unknown, stuck }, alerts, proposals, received] = await Promise.all([
    countWaiting(db, { environment, max: COUNTED_MAX, now: ctx.now }),
    countUnseen(db, COUNTED_MAX),
    countWaitingRows(db, ctx.now, COUNTED_MAX),
    countToCredit(db, { environment, now: ctx.now, max: COUNTED_MAX }),
  ]);
  return {
    "/unknown": unknown,
    "/stuck": stuck,
    "/alerts": alerts,
    "/money": proposals,
    "/deposits": received.count,
  };
}
