import { Problem } from "../../lib/problem.ts";

/** What a browser sent: each name with its values, in their order. */
export type FormBody = ReadonlyMap<string, readonly string[]>;

export const FORM_MAX_BYTES = 64 * 1024;
/** A selection of a whole page of a list, and the fields beside it, fit many times. */
export const FORM_FIELDS_MAX = 500;
export const FIELD_NAME_MAX_CHARACTERS = 100;

/** Reads `application/x-www-form-urlencoded` in UTF-8, strictly: what cannot be read is refused and never replaced. */
export function parseFormBody(body: Buffer): FormBody {
  const fields = new Map<string, string[]>();
  if (body.length === 0) return fields;
  if (body.length > FORM_MAX_BYTES) throw new Problem("payload_too_large", "The form is larger than 64 KiB.");
  const pairs = body.toString("latin1").split("&", FORM_FIELDS_MAX + 1);
  if (pairs.length > FORM_FIELDS_MAX) throw unreadable(`The form has more than ${FORM_FIELDS_MAX} fields.`);
  for (const pair of pairs) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (name.length > FIELD_NAME_MAX_CHARACTERS) throw unreadable("The name of a field is too long.");
    const value = equals < 0 ? "" : decode(pair.slice(equals + 1));
    const given = fields.get(name);
    if (given) given.push(value);
    else fields.set(name, [value]);
  }
  return fields;
}

function decode(text: string): string {
  try {
    // Browsers send a line break as two characters; what is stored has one.
    return decodeURIComponent(text.replaceAll("+", " ")).replaceAll("\r\n", "\n");
  } catch {
    throw unreadable("The form is not percent-encoded UTF-8.");
  }
}

const unreadable = (detail: string): Problem => new Problem("invalid_request", detail);
