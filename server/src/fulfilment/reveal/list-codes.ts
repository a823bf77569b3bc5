import type { Db } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Actor } from "../../lib/actor.ts";
import { type CodeRow, listCodeRows, listRevealRows } from "./reveal-queries.ts";

/** Who was shown codes of an order. Of the operator's people a reseller learns only that it was the operator. */
export type RevealView = {
  at: Date;
  by: Actor | "operator";
  address: string | undefined;
  codeCount: number;
};

export type OrderCodesList = { codes: CodeRow[]; count: number; reveals: RevealView[] };

export const CODES_LISTED_MAX = 500;
const REVEALS_LISTED_MAX = 100;

/** The codes of the caller's order without the codes themselves, and who has seen them. This is no reveal. */
export async function listCodes(db: Db, tenant: Tenant, orderId: string): Promise<OrderCodesList> {
  const [listed, reveals] = await Promise.all([
    listCodeRows(db, tenant, orderId, CODES_LISTED_MAX),
    listRevealRows(db, tenant, orderId, REVEALS_LISTED_MAX),
  ]);
  return {
    ...listed,
    reveals: reveals.map(({ actor, address, codeCount, revealedAt }) => {
      const isTheirs = actor.kind === "key" || actor.kind === "user";
      return {
        at: revealedAt,
        by: isTheirs ? actor : "operator",
        address: isTheirs ? address : undefined,
        codeCount,
      };
    }),
  };
}
