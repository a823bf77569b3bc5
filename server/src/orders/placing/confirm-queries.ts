import { hex, joinTexts, splitText } from "../../db/column-texts.ts";
import type { NamedStatement } from "../../db/joined-query.ts";
import type { WalletHead } from "../../wallet/entry.ts";
import { bindingKey, type Placement, type PlacementState, walletKey } from "./decide-placements.ts";
import { distinctActors } from "./placement-queries.ts";

const TYPES = ["text", "text", "bigint", "bytea", "bigint", "text", "text", "text", "text"] as const;
const CONFIRM = `
  select confirm_placement_batch(
    ${TYPES.map((type, index) => splitText(index + 1, type)).join(", ")}, $10, $11, $12::integer) as "confirmedAtMs"`;

/** What `confirmPlacements` answers. */
export type ConfirmedRow = { confirmedAtMs: bigint | null };

/** How late a batch that was decided ahead may arrive. One that is later is decided under the locks. */
export const ARRIVES_WITHIN_MS = 1_000;

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
    joinTexts(heads, (head) => state.fences.get(walletKey(head)) ?? null),
    joinTexts(heads, (head) => state.revisions.get(head.resellerId) ?? null),
    joinTexts(placements, (one) => bindingKey(one, one.idempotencyKey)),
    joinTexts(actors, (one) => one.actor.id),
    joinTexts(actors, (one) => one.resellerId),
    now.toISOString(),
    new Date(state.atMs + ARRIVES_WITHIN_MS).toISOString(),
    String(lockTimeoutMs),
  ];
  return { name: "confirm-placements", text: CONFIRM, values };
}
