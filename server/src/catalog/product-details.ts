import { raw, type Sql } from "sql-template-tag";
import { isCountry } from "../lib/countries.ts";
import { addFault, type MemberReader, readText } from "./member-reader.ts";

/** What a reseller shows its customers about a product (CONTRACT 3). Absent where the operator says nothing. */
export type ProductDetails = { [Name in DetailName]?: string };

export const BRAND_CHARACTERS_MAX = 100;
export const CATEGORY_CHARACTERS_MAX = 100;
export const DESCRIPTION_CHARACTERS_MAX = 2_000;
export const TERMS_CHARACTERS_MAX = 4_000;
export const IMAGE_URL_CHARACTERS_MAX = 2_048;

type DetailRule = {
  column: string;
  max: number;
  /** Whether the text can have several lines. */
  hasLines?: boolean;
  /** Why a text is refused, or undefined. */
  judge?(text: string): string | undefined;
};

/** Each member, its column and its rules, in the order of a catalog file. */
export const DETAILS = {
  brand: { column: "brand", max: BRAND_CHARACTERS_MAX },
  category: { column: "category", max: CATEGORY_CHARACTERS_MAX },
  country: { column: "country", max: 2, judge: judgeCountry },
  description: { column: "description", max: DESCRIPTION_CHARACTERS_MAX, hasLines: true },
  redeemInstructions: { column: "redeem_instructions", max: DESCRIPTION_CHARACTERS_MAX, hasLines: true },
  terms: { column: "terms", max: TERMS_CHARACTERS_MAX, hasLines: true },
  imageUrl: { column: "image_url", max: IMAGE_URL_CHARACTERS_MAX, judge: judgeImageUrl },
} as const satisfies Readonly<Record<string, DetailRule>>;

export type DetailName = keyof typeof DETAILS;
export const DETAIL_NAMES = Object.keys(DETAILS) as DetailName[];

/** A detail of each name as it is in a row: null where there is none. */
export type DetailRow = { [Name in DetailName]: string | null };

const listOf = (say: (column: string, name: DetailName) => string): Sql =>
  raw(DETAIL_NAMES.map((name) => say(DETAILS[name].column, name)).join(", "));

/** Null in the file keeps the value, and empty text removes it. */
const mergedDetail = (column: string): string =>
  `case when s.${column} is null then p.${column} else nullif(s.${column}, '') end`;

/** `redeemInstructions` as people read it: redeem instructions. */
export const sayName = (name: DetailName): string =>
  name === "imageUrl" ? "image URL" : name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** The columns under their own names, as `p.brand as "brand"` and so on. */
export const selectDetails = (table: string): Sql =>
  listOf((column, name) => `${table}.${column} as "${name}"`);

/** Those of the product `p`, in a comparison of rows. */
export const detailsOfProduct: Sql = listOf((column) => `p.${column}`);

export const detailColumns: Sql = listOf((column) => column);

/** Columns of the staged table: null keeps what the product has, and empty text removes it. */
export const detailDefinitions: Sql = listOf((column) => `${column} text`);

/** What a new product gets from the staged row `s`. */
export const newDetails: Sql = listOf((column) => `nullif(s.${column}, '')`);

/** What the product `p` has after the staged row `s` is merged. */
export const mergedDetails: Sql = listOf((column) => mergedDetail(column));

export const assignDetails: Sql = listOf((column) => `${column} = ${mergedDetail(column)}`);

/** The names of the details that the merge changes, as elements of an array. */
export const changedDetails: Sql = listOf(
  (column, name) =>
    `case when p.${column} is distinct from ${mergedDetail(column)} then '${sayName(name)}' end`,
);

/** The name above a field or beside a fact. */
export const titleOf = (name: DetailName): string => {
  const text = sayName(name);
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** The columns of a staged row: null keeps what the product has, and empty text removes it. */
export type DetailColumns = { [Name in DetailName as (typeof DETAILS)[Name]["column"]]: string | null };

export const toDetailColumns = (details: ProductDetails): DetailColumns =>
  Object.fromEntries(
    DETAIL_NAMES.map((name) => [DETAILS[name].column, details[name] ?? null]),
  ) as DetailColumns;

/** Absent values are omitted. */
export const toDetails = (row: DetailRow): ProductDetails => {
  const details: ProductDetails = {};
  for (const name of DETAIL_NAMES) {
    const value = row[name];
    if (value !== null) details[name] = value;
  }
  return details;
};

/** Every detail as text. Empty where there is none. */
export const toDetailTexts = (details: ProductDetails): { [Name in DetailName]: string } =>
  Object.fromEntries(DETAIL_NAMES.map((name) => [name, details[name] ?? ""])) as {
    [Name in DetailName]: string;
  };

/** The details that an object of a catalog file names. Empty text removes a detail. */
export function readDetails(reader: MemberReader): ProductDetails {
  const details: ProductDetails = {};
  for (const name of DETAIL_NAMES) {
    const { max, hasLines, judge }: DetailRule = DETAILS[name];
    const text = readText(reader, name, { trim: true, max, ...(hasLines ? { hasLines } : {}) });
    if (text === undefined) continue;
    const reason = text === "" ? undefined : judge?.(text);
    if (reason === undefined) details[name] = text;
    else addFault(reader, name, reason);
  }
  return details;
}

function judgeCountry(text: string): string | undefined {
  return isCountry(text)
    ? undefined
    : `"${text}" is not an uppercase ISO 3166-1 alpha-2 code such as US; omit it for worldwide`;
}

function judgeImageUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !text.startsWith("https://")) return "must be an address that starts with https://";
  return url.username !== "" || url.password !== ""
    ? "must not contain a user name or a password"
    : undefined;
}
