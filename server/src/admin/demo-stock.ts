import { randomInt } from "node:crypto";
import type { StockColumn } from "../suppliers/stock/stock-row.ts";

/** The format of a brand's cards: the columns of its stock file, and how each cell is generated. */
type Shape = Partial<Record<StockColumn, (now: Date) => string>>;

export type DemoStock = { productId: string; cost: string; codes: number; shape: Shape };

const CODES = 20;

/**
 * Product, unit cost in its own currency, number of codes (0 is out of stock). Products missing here have no route
 * and cannot be bought live: `orbitmart-mx-500`, `nimbus-kw-20`, which has no price either, the discontinued
 * `lumora-us-5999`, and all top-ups except two that are also sold as vouchers.
 */
const STOCK_TABLE: readonly (readonly [productId: string, cost: string, codes: number, shape?: Shape])[] = [
  ["nimbus-us-10", "9.25", CODES],
  ["nimbus-us-25", "22.60", CODES],
  ["nimbus-us-50", "45.20", CODES],
  ["nimbus-us-100", "89.90", CODES],
  ["nimbus-us-500", "445.00", 3],
  ["nimbus-eu-10", "9.20", CODES],
  ["nimbus-eu-25", "23.00", CODES],
  ["nimbus-eu-50", "45.60", CODES],
  ["nimbus-uk-20", "18.50", CODES],
  ["nimbus-jp-1000", "930", CODES],
  ["nimbus-jp-3000", "2790", 0],
  ["nimbus-kw-5", "4.650", CODES],
  ["nimbus-br-50", "45.50", CODES],
  ["lumora-us-999", "9.10", CODES, { url: redeemLink }],
  ["lumora-eu-999", "9.10", CODES, { url: redeemLink }],
  ["quillbox-uk-15", "13.80", CODES, { code: cardNumber, pin }],
  ["saffron-in-1000", "920.00", CODES, { code: giftCode, pin, expiresAt: inTwoYears }],
  ["zephyr-ae-100", "92.00", 0],
  ["harborvale-ca-50", "45.75", CODES, { code: cardNumber, pin, serial }],
  ["kettlebird-us-5", "4.30", 60],
  ["pinewave-kr-30000", "27600", 0],
  ["mossgrove-pass-1", "7.10", CODES],
  ["tamarind-in-500", "465.00", CODES, { code: () => digits(16), serial, expiresAt: inTwoYears }],
];

export const demoStock: readonly DemoStock[] = STOCK_TABLE.map(
  ([productId, cost, codes, shape = { code: giftCode }]) => ({ productId, cost, codes, shape }),
);

/** A stock file with this many new codes. */
export function makeStockFile({ codes, shape }: Pick<DemoStock, "codes" | "shape">, now: Date): string {
  const rows = Array.from({ length: codes }, () => Object.values(shape).map((makeCell) => makeCell(now)));
  return `${[Object.keys(shape), ...rows].map((cells) => cells.join(",")).join("\n")}\n`;
}

/** Without vowels no code spells a word, and none starts like a sandbox code. */
const LETTERS = "BCDFGHJKLMNPQRTVWXZ2346789";

const draw = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");

function giftCode(): string {
  return Array.from({ length: 4 }, () => draw(LETTERS, 4)).join("-");
}

function redeemLink(): string {
  return `https://redeem.lumora.example/${draw(LETTERS, 16)}`;
}

function cardNumber(): string {
  return `6${digits(15)}`;
}

function pin(): string {
  return digits(4);
}

function serial(): string {
  return `S${digits(11)}`;
}

function inTwoYears(now: Date): string {
  return new Date(Date.UTC(now.getUTCFullYear() + 2, now.getUTCMonth(), 1)).toISOString();
}

function digits(length: number): string {
  return draw("0123456789", length);
}
