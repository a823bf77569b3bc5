import { hex, joinTexts, splitText } from "../db/column-texts.ts";
import type { NamedStatement } from "../db/joined-query.ts";
import type { WalletHead } from "../wallet/entry.ts";
import { bindingKey, type Placement, type PlacementState } from "./decide-placements.ts";
import { distinctActors } from "./placement-queries.ts";

const TYPES = ["text", "text", "bigint", "bytea", "text", "text", "text", "text"] as const;
const CONFIRM = `
  select confirm_placement_batch(
    ${TYPES.map((type, index) => splitText(index + 1, type)).join(", ")}, $9, $10::integer) as confirmed`;

/** What `confirmPlacements` answers. */
export type ConfirmedRow = { confirmed: boolean };

/** Locks the wallets of a batch that was decided ahead, and asks whether all is as it was decided. Before the decision: it changes the state. */
export function confirmPlacements(
  placements: readonly Placement[],
  state: PlacementState,
  now: Date,
  lockTimeoutMs: number,
): NamedStatement {
  const heads: WalletHead[] = [...state.wallets.values()];
  const actors = distinctActors(placements);
  const values = [
    joinTexts(heads, (head) => head.resellerId),
    joinTexts(heads, (head) => head.environment),
    joinTexts(heads, (head) => head.sequence),
    joinTexts(heads, (head) => hex(head.hash)),
    joinTexts(heads, (head) => state.revisions.get(head.resellerId) ?? null),
    joinTexts(placements, (one) => bindingKey(one, one.idempotencyKey)),
    joinTexts(actors, (one) => one.actor.id),
    joinTexts(actors, (one) => one.resellerId),
    now.toISOString(),
    String(lockTimeoutMs),
  ];
  return { name: "confirm-placements", text: CONFIRM, values };
}
