/** Who did something: an API key, a reseller's user, a member of the operator's staff, a command, or Scrip itself. */
export type Actor = { kind: ActorKind; id: string };

export const ACTOR_KINDS = ["key", "user", "staff", "command", "system"] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** The actor as one text, for maps and sets. */
export const actorKey = ({ kind, id }: Actor): string => `${kind} ${id}`;

/**
 * Tables from the time when every actor was a key have one column for a key's id and another for the id of any other
 * actor. Exactly one of the two is set.
 */
export const keyIdOf = ({ kind, id }: Actor): string | null => (kind === "key" ? id : null);
export const otherIdOf = ({ kind, id }: Actor): string | null => (kind === "key" ? null : id);
