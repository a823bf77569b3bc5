import type { Tx } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { Actor } from "../lib/actor.ts";
import type { Clock } from "../lib/clock.ts";
import { idsOf } from "../lib/ids.ts";
import { insertActivity, type Summary } from "./queries.ts";

/** Who does something, and from where. A command and Scrip itself have no address. */
export type By = { actor: Actor; address?: string | undefined };

/** Nobody: Scrip decided by a rule that the operator knows. */
export const SCRIP_ITSELF: By = { actor: { kind: "system", id: "scrip" } };

export type NewActivity = By & {
  /** An object and what happened to it, such as `key.created`. */
  action: `${string}.${string}`;
  object: { kind: string; id: string };
  /** Whose log it belongs to; nobody's but the operator's where there is none. */
  resellerId?: string | undefined;
  environment?: Tenant["environment"] | undefined;
  before?: Summary | undefined;
  after?: Summary | undefined;
};

const VALUE_MAX_CHARACTERS = 300;
const LIST_MAX_ITEMS = 50;
const ADDRESS_MAX_CHARACTERS = 45;
/** Members of an object that are secrets by their name. A row of this log is never removed, so they must not get in. */
const SECRET_NAMES: ReadonlySet<string> = new Set(
  "password passwordHash hash secret token code codes pin key link url digest cookie credential recoveryCodes".split(
    " ",
  ),
);

/** Writes one row of the log in the transaction of what it tells: neither is there without the other. */
export async function recordActivity(tx: Tx, clock: Clock, activity: NewActivity): Promise<void> {
  await insertActivity(tx, {
    id: idsOf(clock)("act"),
    at: clock.now(),
    actor: activity.actor,
    address: activity.address?.slice(0, ADDRESS_MAX_CHARACTERS) ?? null,
    action: activity.action,
    object: activity.object,
    resellerId: activity.resellerId ?? null,
    environment: activity.environment ?? null,
    before: toJson(activity.before),
    after: toJson(activity.after),
  });
}

function toJson(summary: Summary | undefined): string | null {
  if (summary === undefined) return null;
  const secret = Object.keys(summary).find((name) => SECRET_NAMES.has(name));
  if (secret !== undefined) throw new Error(`the activity log must not hold "${secret}"`);
  return JSON.stringify(summary, (_name, value: unknown) => shorten(value));
}

/** PostgreSQL refuses NUL and lone surrogates in JSON; what was typed must not keep a change from being logged. */
function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, LIST_MAX_ITEMS);
  if (typeof value !== "string") return value;
  const text = value.toWellFormed().replaceAll("\0", "\ufffd");
  return text.length <= VALUE_MAX_CHARACTERS
    ? text
    : `${text.slice(0, VALUE_MAX_CHARACTERS - 1).toWellFormed()}…`;
}
