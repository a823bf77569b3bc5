import { FORM_ID_FIELD, TOKEN_FIELD } from "../../web/form/hidden-fields.ts";
import type { FormBody } from "../../web/form/parse-form-body.ts";
import { isLocalPath } from "../../web/template/safe-url.ts";
import type { AccessContext } from "../site.ts";

/** A form that waits until its person has proved who they are. */
export type CarriedForm = { action: string; fields: readonly (readonly [name: string, value: string])[] };

/** A form that would not fit beside the proof is typed again. */
const CARRIED_MAX_CHARACTERS = 16_000;

/** What was typed, for a hidden field. The token and the form id belong to the request that was refused; passwords stay out. */
export function carryForm(action: string, form: FormBody): string {
  const fields = [...form]
    .filter(([name]) => name !== TOKEN_FIELD && name !== FORM_ID_FIELD && !/password/i.test(name))
    .flatMap(([name, values]) => values.map((value) => [name, value]));
  const text = JSON.stringify({ action, fields });
  return text.length > CARRIED_MAX_CHARACTERS ? "" : text;
}

export function readCarried(ctx: Pick<AccessContext, "base">, text: string): CarriedForm | undefined {
  if (text === "") return undefined;
  const value = parse(text);
  if (typeof value !== "object" || value === null) return undefined;
  const { action, fields } = value as { action?: unknown; fields?: unknown };
  if (typeof action !== "string" || !action.startsWith(`${ctx.base}/`) || !isLocalPath(action))
    return undefined;
  return Array.isArray(fields) && fields.every(isField) ? { action, fields } : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isField = (value: unknown): value is [string, string] =>
  Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "string");
