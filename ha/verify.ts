import { ask } from "./ask.ts";
import type { Wanted } from "./callers.ts";

/** What is wrong in the end; all of it empty when nothing was lost or doubled. */
export type Findings = {
  "orders lost outside of a fault": string[];
  "orders duplicated, unexpected or wrong": string[];
  "debits missing, duplicated or wrong": string[];
  contradictions: string[];
  "invariants broken": string[];
  "processes that ended unexpectedly": string[];
  "not finished": string[];
};

export type OrderRow = {
  id: string;
  binding: string;
  totalMinor: string;
  debits: number;
  debitedMinor: string | null;
};

const READ_TIMEOUT_MS = 60_000;

export const bindingOf = ({ buyer, idempotencyKey }: Wanted): string =>
  `${buyer.resellerId} ${buyer.environment} ${idempotencyKey}`;

/** Every order with its debits, read without any code of Scrip. */
export const readOrders = (url: string): Promise<OrderRow[]> =>
  ask<OrderRow>(
    url,
    `select o.id, o.binding, o.total_minor::text as "totalMinor", count(e.id)::integer as debits,
            sum(e.amount_minor)::text as "debitedMinor"
     from orders o
     left join ledger_entries e
       on e.reseller_id = o.reseller_id and e.environment = o.environment and e.order_id = o.id and e.type = 'order'
     group by o.id, o.binding, o.total_minor`,
    READ_TIMEOUT_MS,
  );

/** Orders that were acknowledged and are not there. */
export async function findLostOrders(url: string, wanted: readonly Wanted[]): Promise<Wanted[]> {
  const told = wanted.filter((order) => order.told);
  const ids = told.map((order) => `'${order.told?.id ?? ""}'`).join(",");
  if (told.length === 0) return [];
  const rows = await ask<{ id: string }>(
    url,
    `select id from orders where id = any(array[${ids}]::text[])`,
    READ_TIMEOUT_MS,
  );
  const stored = new Set(rows.map(({ id }) => id));
  return told.filter((order) => !stored.has(order.told?.id ?? ""));
}

/** What callers were told against what is there. Orders that are known to be lost are named once, and not again here. */
export function compareOrders(
  rows: readonly OrderRow[],
  wanted: readonly Wanted[],
  knownLost: ReadonlySet<Wanted>,
): Pick<
  Findings,
  | "orders lost outside of a fault"
  | "orders duplicated, unexpected or wrong"
  | "debits missing, duplicated or wrong"
> {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const explained = new Set<string>();
  const lost: string[] = [];
  const strange: string[] = [];
  for (const order of wanted) {
    if (knownLost.has(order)) {
      // The caller's retry placed it again.
      for (const row of rows) if (row.binding === bindingOf(order)) explained.add(row.id);
      continue;
    }
    if (!order.told) continue;
    const row = byId.get(order.told.id);
    explained.add(order.told.id);
    if (!row) lost.push(`${order.told.id} of ${bindingOf(order)}`);
    else if (row.binding !== bindingOf(order) || Number(row.totalMinor) !== order.told.totalMinor)
      strange.push(`${row.id} is not what ${bindingOf(order)} was told`);
  }
  strange.push(
    ...rows.filter(({ id }) => !explained.has(id)).map(({ id, binding }) => `${id} of ${binding}`),
  );
  const debits = rows
    .filter((row) => row.debits !== 1 || Number(row.debitedMinor) !== -Number(row.totalMinor))
    .map(({ id, debits: count, debitedMinor }) => `${id}: ${count} debits, ${debitedMinor}`);
  return {
    "orders lost outside of a fault": lost,
    "orders duplicated, unexpected or wrong": strange,
    "debits missing, duplicated or wrong": debits,
  };
}
