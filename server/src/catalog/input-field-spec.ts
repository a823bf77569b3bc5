import { RE2JS } from "re2js";
import type { Json } from "../lib/strict-json.ts";
import {
  addFault,
  type Fault,
  type MemberReader,
  nameKind,
  openObject,
  readBoolean,
  readText,
  readWord,
} from "./member-reader.ts";

export type InputFieldSpec = {
  key: string;
  type: InputFieldType;
  required: boolean;
  regex: string;
  options: InputFieldOption[];
};

export type InputFieldType = "text" | "number" | "select";

export type InputFieldOption = { value: string; label: string; parentValue: string };

/** The same for a product and for a line that orders it; `/openapi.json` promises it to callers. */
export const INPUT_FIELDS_MAX = 64;
const INPUT_OPTIONS_MAX = 500;
const INPUT_KEY_CHARACTERS_MAX = 64;
const INPUT_TEXT_CHARACTERS_MAX = 256;
const INPUT_PATTERN_CHARACTERS_MAX = 512;
/**
 * RE2 takes time proportional to pattern times value. Measured: a pattern of 84,000 instructions (counted repetition
 * fits it into 512 characters) took over a second for one value of 256 characters; 2,000 instructions take 50 ms the
 * first time and less than 1 ms after that. `^[0-9A-Za-z]{1,256}$` has 515.
 */
const INPUT_PATTERN_INSTRUCTIONS_MAX = 2_000;

/** Parses the `inputFields` of a product (SPEC.md, InputFieldSpec). The result has every member. */
export function parseInputFieldSpecs(value: Json): { specs: InputFieldSpec[] } | { faults: Fault[] } {
  if (!Array.isArray(value))
    return { faults: [{ path: PATH, reason: `must be an array, not ${nameKind(value)}` }] };
  if (value.length > INPUT_FIELDS_MAX) {
    return {
      faults: [
        { path: PATH, reason: `must have at most ${INPUT_FIELDS_MAX} fields, and has ${value.length}` },
      ],
    };
  }
  const faults: Fault[] = [];
  const specs: InputFieldSpec[] = [];
  const keys = new Set<string>();
  let parentValues: ReadonlySet<string> | undefined;
  for (const [index, item] of value.entries()) {
    const reader = openObject(item, { path: `${PATH}[${index}]`, known: FIELD_MEMBERS, faults });
    if (!reader) continue;
    const spec = readField(reader, { keys, parentValues });
    specs.push(spec);
    if (spec.type === "select" || spec.options.length > 0)
      parentValues = new Set(spec.options.map((option) => option.value));
  }
  return faults.length > 0 ? { faults } : { specs };
}

const PATH = "inputFields";
const FIELD_MEMBERS = ["key", "type", "required", "regex", "options"];
const OPTION_MEMBERS = ["value", "label", "parentValue"];
const FIELD_TYPES: readonly InputFieldType[] = ["text", "number", "select"];

/** What the next field depends on from the earlier fields of the product. */
type Earlier = {
  keys: Set<string>;
  /** The option values of the nearest earlier select field, which is the parent of a cascade (CONTRACT 3). */
  parentValues: ReadonlySet<string> | undefined;
};

function readField(reader: MemberReader, earlier: Earlier): InputFieldSpec {
  const type = readWord(reader, "type", FIELD_TYPES, { required: true });
  return {
    key: readKey(reader, earlier.keys),
    type: type ?? "text",
    required: readBoolean(reader, "required") ?? false,
    regex: readPattern(reader, type),
    options: readOptions(reader, type, earlier.parentValues),
  };
}

function readKey(reader: MemberReader, keys: Set<string>): string {
  const key = readText(reader, "key", {
    required: true,
    min: 1,
    max: INPUT_KEY_CHARACTERS_MAX,
    pattern: /^[A-Za-z0-9_.-]+$/,
    advice: "can contain only A-Z, a-z, 0-9 and _ . -",
  });
  if (key === undefined) return "";
  if (keys.has(key)) addFault(reader, "key", `duplicate key "${key}"`);
  keys.add(key);
  return key;
}

function readPattern(reader: MemberReader, type: InputFieldType | undefined): string {
  const pattern = readText(reader, "regex", { max: INPUT_PATTERN_CHARACTERS_MAX }) ?? "";
  if (pattern === "") return "";
  if (type === "select") {
    addFault(reader, "regex", "is only for text and number fields; a select field uses options");
    return "";
  }
  const reason = findPatternFault(pattern);
  if (reason !== undefined) addFault(reader, "regex", reason);
  return pattern;
}

const PATTERNS_REMEMBERED_MAX = 1_000;

/** A catalog repeats few patterns across many products, and compiling one takes 50 µs, so each is checked once. */
const judgedPatterns = new Map<string, string | undefined>();

function findPatternFault(pattern: string): string | undefined {
  if (judgedPatterns.has(pattern)) return judgedPatterns.get(pattern);
  if (judgedPatterns.size >= PATTERNS_REMEMBERED_MAX) judgedPatterns.clear();
  const reason = judgePattern(pattern);
  judgedPatterns.set(pattern, reason);
  return reason;
}

function judgePattern(pattern: string): string | undefined {
  try {
    if (RE2JS.compile(pattern).programSize() <= INPUT_PATTERN_INSTRUCTIONS_MAX) return undefined;
    return "is too expensive to match; use smaller repetition counts";
  } catch (error) {
    return `is not a valid RE2 pattern: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function readOptions(
  reader: MemberReader,
  type: InputFieldType | undefined,
  parentValues: ReadonlySet<string> | undefined,
): InputFieldOption[] {
  const { options: value = [] } = reader.members;
  if (!Array.isArray(value)) {
    addFault(reader, "options", `must be an array, not ${nameKind(value)}`);
    return [];
  }
  if (type === "select" && value.length === 0)
    addFault(reader, "options", "a select field needs at least one option");
  if (type !== undefined && type !== "select" && value.length > 0)
    addFault(reader, "options", "is only for select fields");
  if (value.length > INPUT_OPTIONS_MAX) {
    addFault(reader, "options", `must have at most ${INPUT_OPTIONS_MAX} options, and has ${value.length}`);
    return [];
  }
  const options: InputFieldOption[] = [];
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    const at = { path: `${reader.path}.options[${index}]`, known: OPTION_MEMBERS, faults: reader.faults };
    const option = openObject(item, at);
    if (option) options.push(readOption(option, { seen, parentValues }));
  }
  return options;
}

function readOption(
  reader: MemberReader,
  earlier: { seen: Set<string>; parentValues: ReadonlySet<string> | undefined },
): InputFieldOption {
  const value = readText(reader, "value", { required: true, min: 1, max: INPUT_TEXT_CHARACTERS_MAX });
  const label = readText(reader, "label", { min: 1, max: INPUT_TEXT_CHARACTERS_MAX }) ?? value ?? "";
  const parentValue = readText(reader, "parentValue", { max: INPUT_TEXT_CHARACTERS_MAX }) ?? "";
  if (parentValue !== "" && !earlier.parentValues) {
    addFault(reader, "parentValue", "needs an earlier select field as its parent");
  } else if (parentValue !== "" && !earlier.parentValues?.has(parentValue)) {
    addFault(reader, "parentValue", `"${parentValue}" is not an option of the nearest earlier select field`);
  }
  if (value !== undefined) {
    // No value contains a line break, so the pair is unambiguous.
    const pair = `${value}\n${parentValue}`;
    if (earlier.seen.has(pair))
      addFault(reader, "value", `duplicate value "${value}" under the same parentValue`);
    earlier.seen.add(pair);
  }
  return { value: value ?? "", label, parentValue };
}
