import { type CatalogEntry, exportCatalogEntries } from "../../catalog/search-catalog.ts";
import { formatAmount } from "../../lib/money.ts";
import type { Download } from "../../web/pages/define-page.ts";
import { csvFile } from "../../web/table/csv-file.ts";
import { type DashboardContext, type DashboardDeps, tenantOf } from "../session.ts";
import { discountText, readCatalogQuery } from "./catalog-page.ts";

const HEADS = [
  "id",
  "name",
  "type",
  "faceValue.amount",
  "faceValue.unit",
  "price",
  "strikePrice",
  "currency",
  "discountPercent",
  "bonus",
  "minQuantity",
  "maxQuantity",
  "availability",
  "brand",
  "category",
  "country",
] as const;

/** All products of a search. */
export function catalogCsv(deps: Pick<DashboardDeps, "db" | "finder">, ctx: DashboardContext): Download {
  const entries = exportCatalogEntries(deps, tenantOf(ctx), readCatalogQuery(ctx));
  return csvFile("catalog.csv", HEADS, toRows(entries));
}

async function* toRows(entries: AsyncIterable<CatalogEntry>): AsyncGenerator<string[]> {
  for await (const entry of entries) yield toCells(entry);
}

const toCells = (entry: CatalogEntry): string[] => [
  entry.id,
  entry.name,
  entry.type,
  entry.faceValue.amount,
  entry.faceValue.unit,
  amountText(entry.priceMinor, entry.currency),
  amountText(entry.strikeMinor, entry.currency),
  entry.currency,
  discountText(entry.discountPermille)?.replace(" %", "") ?? "",
  entry.bonus,
  String(entry.minQuantity),
  String(entry.maxQuantity),
  entry.availability,
  entry.details.brand ?? "",
  entry.details.category ?? "",
  entry.details.country ?? "",
];

const amountText = (amountMinor: bigint | undefined, currency: string): string =>
  amountMinor === undefined ? "" : formatAmount(amountMinor, currency);
