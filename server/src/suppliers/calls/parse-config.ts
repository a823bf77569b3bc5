import type { ConfigField } from "../supplier-kind.ts";
import { parseSupplierAddress } from "./supplier-address.ts";

const TEXT_MAX_CHARACTERS = 1_000;
/** They go into headers and JSON. */
const PRINTABLE = /^[\x20-\x7e]+$/;

/**
 * The members of a config as its fields describe them. Messages quote nothing of it, because that may be a secret. A number is
 * accepted for a text: account ids are often copied as numbers. A flag is `true` or `false`, and comes back as that word.
 */
export function parseConfigFields(
  json: unknown,
  fields: readonly ConfigField[],
): Readonly<Record<string, string | undefined>> {
  const names = fields.map(({ key }) => key);
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw new RangeError(`the config must be a JSON object with ${listOf(names)}`);
  if (Object.keys(json).some((name) => !names.includes(name)))
    throw new RangeError(`the config has a member other than ${listOf(names)}`);
  const members = json as Readonly<Record<string, unknown>>;
  return Object.fromEntries(fields.map((field) => [field.key, readField(field, members[field.key])]));
}

function readField({ key, label, type, required }: ConfigField, value: unknown): string | undefined {
  if (value === undefined || value === "") {
    if (required) throw new RangeError(`the config lacks ${key}: ${label}`);
    return undefined;
  }
  if (type === "flag") {
    if (typeof value !== "boolean") throw new RangeError(`${key} must be true or false`);
    return String(value);
  }
  const text = Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== "string" || text.length > TEXT_MAX_CHARACTERS || !PRINTABLE.test(text))
    throw new RangeError(`${key} must be 1 to ${TEXT_MAX_CHARACTERS} printable characters`);
  return type === "url" ? parseSupplierAddress(text, key) : text;
}

const listOf = (names: readonly string[]): string => `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
