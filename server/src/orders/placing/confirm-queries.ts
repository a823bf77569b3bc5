import { toBinaryArray } from "../../db/binary-arrays.ts";
import { arrayParameter } from "../../db/column-arrays.ts";
import type { NamedStatement } from "../../db/joined-query.ts";
import type { WalletHead } from "../../wallet/entry.ts";
import { bindingKey, type Placement, type PlacementState, walletKey } from "./decide-placements.ts";
import { distinctActors } from "./placement-queries.ts";

const TYPES = ["text", "text", "bigint", "bytea", "bigint", "text", "text", "text", "text"] as const;
const CONFIRM = `
  select confirm_placement_batch(
    ${TYPES.map((type, index) => arrayParameter(index + 1, type)).join(", ")}, $10, $11, $12::integer) as "confirmedAtMs"`;

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
    toBinaryArray("text", heads, (head) => head.resellerId),
    toBinaryArray("text", heads, (head) => head.environment),
    toBinaryArray("bigint", heads, (head) => head.sequence),
    toBinaryArray("bytea", heads, (head) => head.hash),
    toBinaryArray("bigint", heads, (head) => fenceOf(state, head)),
    toBinaryArray("text", heads, (head) => state.revisions.get(head.resellerId) ?? null),
    toBinaryArray("text", placements, (one) => bindingKey(one, one.idempotencyKey)),
    toBinaryArray("text", actors, (one) => one.actor.id),
    toBinaryArray("text", actors, (one) => one.resellerId),
    now.toISOString(),
    new Date(state.atMs + ARRIVES_WITHIN_MS).toISOString(),
    String(lockTimeoutMs),
  ];
  return { name: "confirm-placements", text: CONFIRM, values };
}

function fenceOf({ fences }: PlacementState, head: WalletHead): bigint | null {
  const fence = fences.get(walletKey(head));
  return fence === undefined ? null : BigInt(fence);
}
