import type { Db, Tx } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { readCsvTable, type TableRow } from "../lib/csv/read-csv-table.ts";
import { refreshSupply } from "./refresh-supply.ts";
import { findKind } from "./registry.ts";
import {
  listKinds,
  listPresentRoutes,
  listProductCurrencies,
  mergeRoutes,
  type RouteRow,
} from "./route-queries.ts";
import { checkPriority, checkSku, checkValue, chooseMaxCost, parseCost } from "./set-route.ts";

const ROUTE_COLUMNS = [
  "product",
  "supplier",
  "priority",
  "cost",
  "maxCost",
  "currency",
  "sku",
  "value",
] as const;
type RouteColumn = (typeof ROUTE_COLUMNS)[number];
type RouteCells = Readonly<Record<RouteColumn, string>>;

export type RouteFault = { line: number; reason: string };
export type ImportRoutesInput = {
  file: string;
  onFault(fault: RouteFault): void;
  onProgress?(rows: number): void;
  onBytes?(bytes: number): void;
};
export type ImportRoutesResult =
  | { ok: true; created: number; updated: number; unchanged: number }
  | { ok: false; faults: number };

/** A file is read into memory as a whole. Split larger ones. */
export const ROUTE_ROWS_MAX = 500_000;

/** Creates and updates the routes in a CSV file, all or none. Other routes stay unchanged. */
export async function importRoutes(
  db: Db,
  clock: Clock,
  input: ImportRoutesInput,
): Promise<ImportRoutesResult> {
  let faults = 0;
  const onFault = (fault: RouteFault): void => {
    faults += 1;
    input.onFault(fault);
  };
  const required = ["product", "supplier", "priority", "cost"] as const;
  const file = readCsvTable(input.file, { known: ROUTE_COLUMNS, required }, input.onBytes);
  const rows = await readRows(file, input, onFault);
  const merged = await db.transaction(async (tx) => {
    const routes = await resolveRoutes(tx, rows, onFault);
    return faults > 0 ? undefined : mergeRoutes(tx, routes, clock.now());
  });
  if (!merged) return { ok: false, faults };
  await refreshSupply(
    db,
    rows.map(({ cells }) => cells.product),
    clock.now(),
  );
  return { ok: true, ...merged };
}

type Row = { line: number; cells: RouteCells };

async function readRows(
  rows: AsyncIterable<TableRow<RouteColumn>>,
  { onProgress }: ImportRoutesInput,
  onFault: (fault: RouteFault) => void,
): Promise<Row[]> {
  const read: Row[] = [];
  const lineOf = new Map<string, number>();
  for await (const row of rows) {
    if ("fault" in row) {
      onFault({ line: row.line, reason: row.fault });
      continue;
    }
    if (read.length >= ROUTE_ROWS_MAX) throw new RangeError(`a file holds at most ${ROUTE_ROWS_MAX} routes`);
    const key = `${row.cells.product} ${row.cells.supplier}`;
    const first = lineOf.get(key);
    if (first !== undefined) onFault({ line: row.line, reason: `is the same route as line ${first}` });
    lineOf.set(key, first ?? row.line);
    read.push(row);
    onProgress?.(read.length);
  }
  return read;
}

/** Empty cells keep the value of the route, as when a single route is set. */
async function resolveRoutes(
  tx: Tx,
  rows: readonly Row[],
  onFault: (fault: RouteFault) => void,
): Promise<RouteRow[]> {
  const productIds = [...new Set(rows.map(({ cells }) => cells.product))];
  const currencies = await listProductCurrencies(tx, productIds);
  const suppliers = await listKinds(tx);
  const present = await listPresentRoutes(tx, productIds);
  return rows.flatMap(({ line, cells }) => {
    try {
      return [toRoute(cells, { currencies, suppliers, present })];
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      onFault({ line, reason: error.message });
      return [];
    }
  });
}

type Known = {
  currencies: ReadonlyMap<string, string>;
  suppliers: ReadonlyMap<string, string>;
  present: ReadonlyMap<string, RouteRow>;
};

function toRoute(cells: RouteCells, { currencies, suppliers, present }: Known): RouteRow {
  const { product: productId, supplier: supplierId } = cells;
  const productCurrency = currencies.get(productId);
  if (productCurrency === undefined) throw new RangeError(`there is no product "${productId}"`);
  const kind = suppliers.get(supplierId);
  if (kind === undefined) throw new RangeError(`there is no supplier "${supplierId}"`);
  const before = present.get(`${productId} ${supplierId}`);
  if (!/^\d{1,9}$/.test(cells.priority)) throw new RangeError(`"${cells.priority}" is not a priority`);
  if (findKind(kind)?.hasOwnStock && cells.maxCost !== "")
    throw new RangeError("maxCost is for a supplier that is called; stock has no price that could change");
  const cost = parseCost(cells.cost, cells.currency || (before?.costCurrency ?? productCurrency));
  return {
    productId,
    supplierId,
    priority: checkPriority(Number(cells.priority)),
    ...cost,
    maxCostMinor: chooseMaxCost(cells.maxCost || undefined, cost, before),
    sku: checkSku(cells.sku || (before?.sku ?? productId)),
    value: checkValue(kind, cells.value || (before?.value ?? null)),
    fieldMap: before?.fieldMap ?? null,
  };
}
