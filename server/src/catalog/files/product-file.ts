import { isCurrency, minorUnitExponent } from "../../lib/currencies.ts";
import { type Json, JsonError, parseStrictJsonText } from "../../lib/strict-json.ts";
import { type InputFieldOption, type InputFieldSpec, parseInputFieldSpecs } from "../input-field-spec.ts";
import {
  addFault,
  type Fault,
  type MemberReader,
  openObject,
  readBoolean,
  readInteger,
  readText,
  readWord,
} from "../member-reader.ts";
import { DETAIL_NAMES, type ProductDetails, readDetails } from "../product-details.ts";

export type ProductType = "gift_card" | "top_up";

/** One product as it can appear in a catalog file (CONTRACT 8, Files). */
export type ProductFileRow = {
  id: string;
  name: string;
  type?: ProductType;
  faceValue: { amount: string; currency: string; unit?: string; isMoney?: boolean };
  bonus?: string;
  minQuantity?: number;
  maxQuantity?: number;
  inputFields?: (Pick<InputFieldSpec, "key" | "type"> &
    Partial<Pick<InputFieldSpec, "required" | "regex">> & {
      options?: (Pick<InputFieldOption, "value"> & Partial<InputFieldOption>)[];
    })[];
  active?: boolean;
  hidden?: boolean;
} & ProductDetails;

/**
 * The product with its defaults. Only `active`, `hidden` and details can stay unset: a new product is then active and
 * visible, and an existing one keeps its values, so a nightly import never shows a product that the operator has
 * hidden.
 */
export type ImportedProduct = {
  id: string;
  name: string;
  type: ProductType;
  faceValue: { amount: string; currency: string; unit: string; isMoney: boolean };
  bonus: string;
  minQuantity: number;
  maxQuantity: number;
  inputFields: InputFieldSpec[];
  active: boolean | undefined;
  hidden: boolean | undefined;
  /** Those that the file names. The others keep their values; empty text removes one. */
  details: ProductDetails;
};

const PRODUCT_NAME_CHARACTERS_MAX = 200;
const PRODUCT_BONUS_CHARACTERS_MAX = 200;
const PRODUCT_UNIT_CHARACTERS_MAX = 32;
const PRODUCT_QUANTITY_MAX = 10_000;
const QUANTITY_MIN_DEFAULT = 1;
const QUANTITY_MAX_DEFAULT = 10;

/** Parses one product of a catalog file, or lists all of its faults. */
export function parseProductRow(value: Json): { product: ImportedProduct } | { faults: Fault[] } {
  const faults: Fault[] = [];
  const reader = openObject(value, { path: "", known: PRODUCT_MEMBERS, faults });
  if (!reader) return { faults };
  const product: ImportedProduct = {
    id: readText(reader, "id", ID_RULE) ?? "",
    name: readText(reader, "name", NAME_RULE) ?? "",
    type: readWord(reader, "type", PRODUCT_TYPES) ?? "gift_card",
    faceValue: readFaceValue(reader),
    bonus: readText(reader, "bonus", { max: PRODUCT_BONUS_CHARACTERS_MAX }) ?? "",
    ...readQuantities(reader),
    inputFields: readInputFields(reader),
    active: readBoolean(reader, "active"),
    hidden: readBoolean(reader, "hidden"),
    details: readDetails(reader),
  };
  return faults.length > 0 ? { faults } : { product };
}

const PRODUCT_MEMBERS = [
  "id",
  "name",
  "type",
  "faceValue",
  "bonus",
  "minQuantity",
  "maxQuantity",
  "inputFields",
  "active",
  "hidden",
  ...DETAIL_NAMES,
];
const FACE_VALUE_MEMBERS = ["amount", "currency", "unit", "isMoney"];
const PRODUCT_TYPES: readonly ProductType[] = ["gift_card", "top_up"];

const ID_RULE = {
  required: true,
  min: 1,
  max: 64,
  pattern: /^[A-Za-z0-9._:-]+$/,
  advice: "can contain only A-Z, a-z, 0-9 and . _ : -",
};

/** Spaces around a name are left over from a spreadsheet. */
const NAME_RULE = { required: true, trim: true, min: 1, max: PRODUCT_NAME_CHARACTERS_MAX };

function readFaceValue(product: MemberReader): ImportedProduct["faceValue"] {
  const { faceValue } = product.members;
  const absent = { amount: "", currency: "", unit: "", isMoney: true };
  if (faceValue === undefined) {
    addFault(product, "faceValue", "is required, with amount and currency");
    return absent;
  }
  const at = { path: "faceValue", known: FACE_VALUE_MEMBERS, faults: product.faults };
  const reader = openObject(faceValue, at);
  if (!reader) return absent;
  const amount = readAmount(reader);
  const currency = readCurrency(reader);
  const unit = readText(reader, "unit", { min: 1, max: PRODUCT_UNIT_CHARACTERS_MAX });
  const isMoney = readBoolean(reader, "isMoney") ?? (unit === undefined || unit === currency);
  if (currency !== undefined && isMoney) checkMoney(reader, { amount, currency, unit });
  if (!isMoney && reader.members.unit === undefined) {
    addFault(reader, "unit", "is required when isMoney is false, to name what the amount counts");
  }
  return { amount: amount ?? "", currency: currency ?? "", unit: unit ?? currency ?? "", isMoney };
}

function readAmount(reader: MemberReader): string | undefined {
  if (typeof reader.members.amount === "number") {
    addFault(reader, "amount", `must be text: write "${reader.members.amount}" in quotes to keep it exact`);
    return undefined;
  }
  return readText(reader, "amount", {
    required: true,
    max: 27,
    pattern: /^[0-9]{1,18}(\.[0-9]{1,8})?$/,
    advice: 'must be a plain decimal such as "25" or "25.00", at most 18 digits and 8 decimals',
  });
}

function readCurrency(reader: MemberReader): string | undefined {
  const currency = readText(reader, "currency", { required: true, max: 3 });
  if (currency === undefined || isCurrency(currency)) return currency;
  addFault(reader, "currency", `"${currency}" is not an uppercase ISO 4217 code such as USD`);
  return undefined;
}

function checkMoney(
  reader: MemberReader,
  money: { amount: string | undefined; currency: string; unit: string | undefined },
): void {
  const { amount = "", currency, unit = currency } = money;
  if (unit !== currency) addFault(reader, "unit", `must be ${currency} or absent when isMoney is true`);
  const decimals = amount.split(".")[1]?.length ?? 0;
  const exponent = minorUnitExponent(currency);
  if (decimals > exponent) addFault(reader, "amount", `has too many decimals: ${currency} has ${exponent}`);
}

function readQuantities(reader: MemberReader): { minQuantity: number; maxQuantity: number } {
  const rule = { min: 1, max: PRODUCT_QUANTITY_MAX };
  const faultsBefore = reader.faults.length;
  const minQuantity = readInteger(reader, "minQuantity", rule) ?? QUANTITY_MIN_DEFAULT;
  const maxQuantity = readInteger(reader, "maxQuantity", rule) ?? QUANTITY_MAX_DEFAULT;
  if (reader.faults.length === faultsBefore && maxQuantity < minQuantity) {
    const said =
      reader.members.maxQuantity === undefined ? `is ${maxQuantity} by default` : `is ${maxQuantity}`;
    addFault(reader, "maxQuantity", `${said}, but must not be below minQuantity, ${minQuantity}`);
  }
  return { minQuantity, maxQuantity };
}

function readInputFields(reader: MemberReader): InputFieldSpec[] {
  const { inputFields } = reader.members;
  if (inputFields === undefined) return [];
  if (typeof inputFields === "string") {
    addFault(reader, "inputFields", explainText(inputFields));
    return [];
  }
  const result = parseInputFieldSpecs(inputFields);
  if ("specs" in result) return result.specs;
  reader.faults.push(...result.faults);
  return [];
}

/** A CSV cell with invalid JSON arrives here as text. The message says where the JSON breaks. */
function explainText(text: string): string {
  try {
    parseStrictJsonText(text);
    return "must be an array, not text that holds one";
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return `must be an array of fields as JSON. ${error.message}`;
  }
}
