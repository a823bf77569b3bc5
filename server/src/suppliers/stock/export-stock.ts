import type { Db } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { csvLine } from "../../lib/csv/csv-line.ts";
import { stockPlace } from "../../vault/code-place.ts";
import type { CodeVault } from "../../vault/code-vault.ts";
import { SealError } from "../../vault/seal.ts";
import { decodeGoods, type Goods } from "../goods.ts";
import {
  countCodesToExport,
  insertStockOperation,
  listCodesToExport,
  type SealedCode,
  type StockPage,
} from "./stock-operation-queries.ts";
import { STOCK_COLUMNS } from "./stock-row.ts";
import { checkReason } from "./withdraw-stock.ts";

export type ExportStockInput = {
  productId: string;
  supplierId: string | undefined;
  reason: string;
  write(chunk: string): Promise<void> | void;
  onProgress?(done: number, total: number): void;
  /** A code that does not open, by its id. */
  onDamaged(id: string): void;
};

const BATCH_CODES = 1_000;

/**
 * Writes withdrawn codes in plain, in the format that the import reads. Only withdrawn ones: a code that can still be sold
 * must not be known elsewhere. The export is recorded first, with its reason. Returns the number of codes.
 */
export async function exportStock(
  deps: { db: Db; clock: Clock; codeVault: CodeVault },
  input: ExportStockInput,
): Promise<number> {
  const { db, clock } = deps;
  const { productId, supplierId } = input;
  const reason = checkReason(input.reason);
  const first: StockPage = { productId, supplierId, state: "withdrawn", afterId: "", limit: BATCH_CODES };
  const total = await countCodesToExport(db, first);
  if (total === 0) return 0;
  const operation = { action: "export", productId, supplierId, codeCount: total } as const;
  await insertStockOperation(db, { ...operation, reason, now: clock.now() });
  await input.write(`${STOCK_COLUMNS.join(",")}\n`);
  let done = 0;
  let read = 0;
  let afterId = "";
  for (;;) {
    // No more than was recorded. Codes withdrawn in the meantime are part of the next export.
    const limit = Math.min(BATCH_CODES, total - read);
    const codes = limit === 0 ? [] : await listCodesToExport(db, { ...first, afterId, limit });
    const last = codes.at(-1);
    if (!last) return done;
    read += codes.length;
    const lines = codes.flatMap((code) => openLine(deps.codeVault, productId, code, input.onDamaged));
    await input.write(lines.join(""));
    done += lines.length;
    afterId = last.id;
    input.onProgress?.(done, total);
  }
}

function openLine(
  vault: CodeVault,
  productId: string,
  code: SealedCode,
  onDamaged: (id: string) => void,
): string[] {
  try {
    const plain = vault.open(stockPlace(code.id, productId), code.sealed);
    return [toLine(decodeGoods(code.type, plain, code.expiresAt))];
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    onDamaged(code.id);
    return [];
  }
}

function toLine(goods: Goods): string {
  if (goods.type === "topup") throw new Error("a receipt is never in stock");
  const { pin = "", serial = "", expiresAt = "" } = goods;
  const code = goods.type === "code" ? goods.code : "";
  const url = goods.type === "url" ? goods.url : "";
  return `${csvLine([code, pin, serial, url, expiresAt])}\n`;
}
