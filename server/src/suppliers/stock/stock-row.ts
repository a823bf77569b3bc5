import { parseTime } from "../../lib/time.ts";
import type { Goods } from "../goods.ts";

/** The columns of a stock file, in any order (CONTRACT 8, Files). */
export const STOCK_COLUMNS = ["code", "pin", "serial", "url", "expiresAt"] as const;
export type StockColumn = (typeof STOCK_COLUMNS)[number];

/** A row's cells by column; a column that the file does not have is an empty cell. */
export type StockCells = Readonly<Record<StockColumn, string>>;

/**
 * Reads one row of a stock file, or returns what is wrong with it. Codes are bearer money and messages end up in terminals
 * and logs, so a message names the column and never its content.
 */
export function parseStockRow(cells: StockCells, now: Date): { goods: Goods } | { faults: string[] } {
  const faults: string[] = [];
  for (const column of STOCK_COLUMNS) {
    const fault = findTextFault(cells[column]);
    if (fault !== undefined) faults.push(`${column}: ${fault}`);
  }
  const { code, url } = cells;
  if (code !== "" && url !== "") faults.push("code: has both a code and a url; one of them is wanted");
  if (code === "" && url === "") faults.push("code: has neither a code nor a url");
  if (code.startsWith(SANDBOX_PREFIX)) {
    faults.push(`code: begins with ${SANDBOX_PREFIX}, as codes of the sandbox alone do`);
  }
  if (url !== "" && !isWebAddress(url)) faults.push("url: is not an address that begins with https or http");
  const expiry = readExpiry(cells.expiresAt, now);
  if (expiry.fault !== undefined) faults.push(`expiresAt: ${expiry.fault}`);
  return faults.length > 0 ? { faults } : { goods: toGoods(cells, expiry.time) };
}

/** CONTRACT 7: a live code never starts with this. */
const SANDBOX_PREFIX = "TEST-";
const CELL_MAX_CHARACTERS = 1_000;

/** Invisible characters: codes that look alike would differ, and a buyer could not type them. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
/** What decoding leaves where a byte is not UTF-8. */
const UNDECODABLE = "�";

function findTextFault(cell: string): string | undefined {
  if (cell.length > CELL_MAX_CHARACTERS) return `is longer than ${CELL_MAX_CHARACTERS} characters`;
  if (cell.includes(UNDECODABLE)) return "holds bytes that are not UTF-8; save the file as UTF-8";
  if (INVISIBLE.test(cell)) return "holds a control character, or another that does not show";
  return undefined;
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  // Browsers silently repair a space, so the link that is sold would differ from the one that was bought.
  return (url?.protocol === "https:" || url?.protocol === "http:") && !/\s/.test(text);
}

/** A date alone: the code can be sold until that day ends in UTC. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

function readExpiry(text: string, now: Date): { time?: Date; fault?: string } {
  if (text === "") return {};
  const time = parseTime(DAY.test(text) ? `${text}T23:59:59Z` : text);
  if (!time) return { fault: "is neither a date such as 2030-12-31 nor a time such as 2030-12-31T23:59:59Z" };
  return time <= now ? { fault: "has passed already" } : { time };
}

function toGoods({ code, url, pin, serial }: StockCells, expiresAt: Date | undefined): Goods {
  const rest = {
    ...(pin === "" ? {} : { pin }),
    ...(serial === "" ? {} : { serial }),
    ...(expiresAt ? { expiresAt: expiresAt.toISOString() } : {}),
  };
  return code === "" ? { type: "url", url, ...rest } : { type: "code", code, ...rest };
}
