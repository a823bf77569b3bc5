/** Who did something: an API key, a reseller's user, a member of the operator's staff, a command, or Scrip itself. */
export type Actor = { kind: ActorKind; id: string };

export const ACTOR_KINDS = ["key", "user", "staff", "command", "system"] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];
