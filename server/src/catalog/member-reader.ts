import { isPlainText } from "../lib/plain-text.ts";
import type { Json } from "../lib/strict-json.ts";

/** A fault of one member of a product in a catalog file, worded for the file's author. */
export type Fault = { path: string; reason: string };

/** One object of the file, and the list that collects all of its faults. */
export type MemberReader = {
  readonly path: string;
  readonly members: { [key: string]: Json };
  readonly faults: Fault[];
};

type TextRule = {
  required?: boolean;
  trim?: boolean;
  /** Whether the text can have several lines. */
  hasLines?: boolean;
  min?: number;
  max: number;
  pattern?: RegExp;
  advice?: string;
};

/** Opens an object for reading. Unknown members are refused by name, so that a misspelled one is not lost. */
export function openObject(
  value: Json,
  at: { path: string; known: readonly string[]; faults: Fault[] },
): MemberReader | undefined {
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    at.faults.push({ path: at.path, reason: `must be an object, not ${nameKind(value)}` });
    return undefined;
  }
  const reader: MemberReader = { path: at.path, members: value, faults: at.faults };
  for (const key of Object.keys(value)) {
    if (!at.known.includes(key))
      addFault(reader, key, `unknown member; known members are ${at.known.join(", ")}`);
  }
  return reader;
}

/** The text of a member. Undefined if it is absent or faulty. */
export function readText(reader: MemberReader, key: string, rule: TextRule): string | undefined {
  const value = reader.members[key];
  if (value === undefined) {
    if (rule.required) addFault(reader, key, "is required");
    return undefined;
  }
  if (typeof value !== "string") {
    addFault(reader, key, `must be text, not ${nameKind(value)}`);
    return undefined;
  }
  const given = rule.hasLines ? value.replaceAll("\r\n", "\n") : value;
  const text = rule.trim ? given.trim() : given;
  const reason = findTextFault(text, rule);
  if (reason === undefined) return text;
  addFault(reader, key, reason);
  return undefined;
}

export function readBoolean(reader: MemberReader, key: string): boolean | undefined {
  const value = reader.members[key];
  if (value === undefined || typeof value === "boolean") return value;
  addFault(reader, key, "must be true or false");
  return undefined;
}

export function readInteger(
  reader: MemberReader,
  key: string,
  rule: { min: number; max: number },
): number | undefined {
  const value = reader.members[key];
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !Number.isInteger(value) || value < rule.min || value > rule.max) {
    addFault(reader, key, `must be a whole number from ${rule.min} to ${rule.max}`);
    return undefined;
  }
  return value;
}

/** One of a few exact words. */
export function readWord<Word extends string>(
  reader: MemberReader,
  key: string,
  words: readonly Word[],
  rule: { required?: boolean } = {},
): Word | undefined {
  const value = reader.members[key];
  if (value === undefined) {
    if (rule.required) addFault(reader, key, `is required: ${words.join(" or ")}`);
    return undefined;
  }
  const word = words.find((known) => known === value);
  if (word === undefined) addFault(reader, key, `must be ${words.join(" or ")}`);
  return word;
}

export const addFault = (reader: MemberReader, key: string, reason: string): void => {
  reader.faults.push({ path: reader.path === "" ? key : `${reader.path}.${key}`, reason });
};

export function nameKind(value: Json): string {
  if (value === null) return "null (omit the member instead)";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : typeof value === "string" ? "text" : `a ${typeof value}`;
}

/** What a decoder writes in place of invalid UTF-8. No name contains it on purpose. */
const REPLACEMENT_CHARACTER = "\uFFFD";

function findTextFault(text: string, rule: TextRule): string | undefined {
  const min = rule.min ?? 0;
  if (text.length < min) return "must not be empty";
  if (isLongerThan(text, rule.max)) return `must have at most ${rule.max} characters`;
  if (!isPlainText(rule.hasLines ? text.replaceAll(/[\n\t]/g, " ") : text))
    return rule.hasLines
      ? "contains a control character or an invisible format character"
      : "contains a line break, a control character or an invisible format character";
  if (text.includes(REPLACEMENT_CHARACTER)) {
    return "contains U+FFFD, which marks invalid UTF-8; save the file as UTF-8";
  }
  if (rule.pattern && !rule.pattern.test(text)) return rule.advice ?? `must match ${rule.pattern.source}`;
  return undefined;
}

/** PostgreSQL counts characters and JavaScript counts UTF-16 units. Only a text near the limit needs counting. */
const isLongerThan = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || Array.from(text).length > max);
