import type { ActivityFilter } from "../../activity/list-activity.ts";
import { ACTOR_KINDS, type ActorKind } from "../../lib/actor.ts";
import type { ConsoleContext } from "../session.ts";

/** The filters of the address: as they were written, and as the verb wants them. */
export type AskedActivity = { query: Readonly<Record<string, string>>; filter: ActivityFilter };

const NAMES = ["who", "action", "object", "reseller", "from", "to"] as const;
const DAY_MS = 24 * 3_600_000;
const TEXT_MAX_CHARACTERS = 200;
const KIND_OF_PREFIX: Readonly<Record<string, ActorKind>> = { stf: "staff", usr: "user", key: "key" };

/** A filter that cannot be read is left out. The days from and to are both included. */
export function readActivityFilter(ctx: Pick<ConsoleContext, "query">): AskedActivity {
  const query = Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = ctx.query[name]?.trim().replaceAll("\0", "").slice(0, TEXT_MAX_CHARACTERS) ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );
  const to = dayOf(query.to);
  return {
    query,
    filter: {
      actor: actorOf(query.who),
      action: query.action,
      object: query.object === undefined ? undefined : { id: query.object },
      resellerId: query.reseller,
      from: dayOf(query.from),
      to: to && new Date(to.getTime() + DAY_MS),
    },
  };
}

/** A kind of actor, or the id of one: its beginning tells the kind. Anything else finds nothing. */
function actorOf(who: string | undefined): ActivityFilter["actor"] {
  if (who === undefined) return undefined;
  const kind = ACTOR_KINDS.find((known) => known === who);
  return kind ? { kind } : { kind: KIND_OF_PREFIX[who.slice(0, 3)] ?? "command", id: who };
}

function dayOf(text: string | undefined): Date | undefined {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(day.getTime()) ? undefined : day;
}
