import type { TSchema } from "typebox";
import { Type } from "../../http/openapi/type.ts";
import { type Asked, invalidParameter, queryFilter } from "../../http/query.ts";
import { isCountry } from "../../lib/countries.ts";
import { BRAND_CHARACTERS_MAX, CATEGORY_CHARACTERS_MAX } from "../product-details.ts";
import { PRODUCT_TYPES, type ProductType } from "../queries.ts";
import { foldText } from "./fold-text.ts";

/** The filters that were given. */
export type CatalogFilters = {
  q?: string | undefined;
  brand?: string | undefined;
  category?: string | undefined;
  country?: string | undefined;
  type?: ProductType | undefined;
  purchasable?: boolean | undefined;
};

export const QUERY_CHARACTERS_MAX = 100;
export const QUERY_WORDS_MAX = 10;

/** The parameters for the API reference. */
export const filterParameters = {
  q: filter(
    Type.String({
      description: `Return only products with all of these words in their id, name or brand, in any order and as parts of words. Letter case and accents do not matter. At most ${QUERY_CHARACTERS_MAX} characters and ${QUERY_WORDS_MAX} words.`,
      examples: ["nimbus 25"],
    }),
  ),
  brand: filter(Type.String({ description: "Return only products of exactly this brand." })),
  category: filter(Type.String({ description: "Return only products of exactly this category." })),
  country: filter(
    Type.String({
      description:
        "Return only products for this country, an ISO 3166-1 alpha-2 code in any letter case. Products that work worldwide have no country and are not returned.",
      examples: ["US"],
    }),
  ),
  type: filter(
    Type.String({ description: `Return only products of this type: ${PRODUCT_TYPES.join(", ")}.` }),
  ),
  purchasable: filter(
    Type.Boolean({ description: "`true`: only products that can be ordered now. `false`: only the others." }),
  ),
};

function filter<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(schema);
}

/** Reads the filters of a request. A value that is too long or does not exist is refused. */
export function readCatalogFilters(request: Asked): CatalogFilters {
  return {
    q: readQuery(request),
    brand: readShort(request, "brand", BRAND_CHARACTERS_MAX),
    category: readShort(request, "category", CATEGORY_CHARACTERS_MAX),
    country: readCountry(request),
    type: readWord(request, "type", PRODUCT_TYPES),
    purchasable: toBoolean(readWord(request, "purchasable", ["true", "false"])),
  };
}

/** The given filters as text: they bind a cursor, and name a page in memory. */
export const toFilterTexts = (filters: CatalogFilters): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );

export const hasFilters = (filters: CatalogFilters): boolean =>
  Object.values(filters).some((value) => value !== undefined);

/** The folded words of a search. */
export const wordsOf = (q: string | undefined): string[] =>
  foldText(q ?? "")
    .split(/\s+/)
    .filter((word) => word !== "");

function readQuery(request: Asked): string | undefined {
  const q = readShort(request, "q", QUERY_CHARACTERS_MAX)?.trim();
  if (q === "") throw invalidParameter("q", "q has no words. Set a value or omit the parameter.");
  if (wordsOf(q).length > QUERY_WORDS_MAX)
    throw invalidParameter("q", `q must have at most ${QUERY_WORDS_MAX} words.`);
  return q;
}

function readShort(request: Asked, name: string, max: number): string | undefined {
  const text = queryFilter(request, name);
  if (text !== undefined && text.length > max && [...text].length > max)
    throw invalidParameter(name, `${name} must have at most ${max} characters.`);
  return text;
}

function readCountry(request: Asked): string | undefined {
  const text = queryFilter(request, "country")?.toUpperCase();
  if (text === undefined || isCountry(text)) return text;
  throw invalidParameter("country", "country must be an ISO 3166-1 alpha-2 code, such as US.");
}

function readWord<const Word extends string>(
  request: Asked,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const text = queryFilter(request, name);
  const word = words.find((known) => known === text);
  if (text === undefined || word !== undefined) return word;
  throw invalidParameter(name, `${name} must be ${words.join(" or ")}.`);
}

const toBoolean = (word: "true" | "false" | undefined): boolean | undefined =>
  word === undefined ? undefined : word === "true";
