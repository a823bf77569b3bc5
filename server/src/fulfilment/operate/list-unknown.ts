import type { Queryable } from "../../db/database.ts";
import { referenceOf } from "../buy/reference.ts";
import {
  listUnknownRows,
  sumUnknownRows,
  type UnknownPosition,
  type UnknownRow,
  type UnknownSelection,
} from "./unknown-queries.ts";

export type UnknownPurchase = UnknownRow & {
  /** The reference that the supplier knows it by. */
  reference: string;
};

export type UnknownBySupplier = {
  supplierId: string;
  supplierName: string;
  pausedUntil: Date | null;
  enabled: boolean;
  units: number;
  oldestAt: Date;
  /** What they may have cost, one for each currency. */
  costs: { amountMinor: bigint; currency: string }[];
};

export const UNKNOWN_PAGE = 50;
/** The sums by supplier count at most so many purchases, the oldest ones. */
export const UNKNOWN_COUNTED_MAX = 10_000;

/** Every purchase whose outcome is not known, longest first. `next` is where the next page begins. */
export async function listUnknown(
  db: Queryable,
  selection: Omit<UnknownSelection, "limit">,
  now: Date,
): Promise<{ data: UnknownPurchase[]; next: string | undefined }> {
  const rows = await listUnknownRows(db, { ...selection, limit: UNKNOWN_PAGE + 1 }, now);
  const data = rows
    .slice(0, UNKNOWN_PAGE)
    .map((row) => ({ ...row, reference: referenceOf(row, row.number) }));
  const last = data.at(-1);
  return { data, next: rows.length > UNKNOWN_PAGE && last ? writePosition(last) : undefined };
}

const writePosition = ({ openedAt, orderId, lineIndex, unitIndex }: UnknownPosition): string =>
  [openedAt.getTime(), orderId, lineIndex, unitIndex].join(".");

const POSITION = /^(\d{1,15})\.([\w-]{1,64})\.(\d{1,5})\.(\d{1,9})$/;

/** Where a page begins, or undefined for the first page and for anything else than a position. */
export function readPosition(text: string | undefined): UnknownPosition | undefined {
  const [, openedMs, orderId, lineIndex, unitIndex] = POSITION.exec(text ?? "") ?? [];
  if (orderId === undefined) return undefined;
  return {
    openedAt: new Date(Number(openedMs)),
    orderId,
    lineIndex: Number(lineIndex),
    unitIndex: Number(unitIndex),
  };
}

/** How many there are at each supplier, since when, and what they may have cost. */
export async function sumUnknown(db: Queryable, now: Date): Promise<UnknownBySupplier[]> {
  const rows = await sumUnknownRows(db, UNKNOWN_COUNTED_MAX, now);
  return rows.map(({ costs, ...row }) => ({
    ...row,
    costs: (costs ?? []).map(({ amountMinor, currency }) => ({ amountMinor: BigInt(amountMinor), currency })),
  }));
}
