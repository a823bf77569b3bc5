import type { Json } from "../../lib/strict-json.ts";
import type { ConfigField, RemoteKind } from "../../suppliers/supplier-kind.ts";
import { checkboxField } from "../../web/form/choice-fields.ts";
import type { Fields } from "../../web/form/define-form.ts";
import type { Field } from "../../web/form/field.ts";
import { passwordField, textField } from "../../web/form/text-fields.ts";

/** Names of fields are not those of the config: a kind may have a member called `name`. */
const PREFIX = "config_";

/** The fields of a kind's config, as its registry entry describes them. A new kind needs nothing here. */
export const configFields = ({ configFields: fields }: RemoteKind): Fields =>
  Object.fromEntries(fields.map((field) => [`${PREFIX}${field.key}`, fieldOf(field)]));

const CONFIG_VALUE_MAX_CHARACTERS = 2_000;

/** A secret is typed like a password: it is never written back into a page. */
function fieldOf({ label, type, required, help, fallback }: ConfigField): Field<unknown> {
  const hint = fallback === undefined ? help : `${help} Without it: ${fallback}.`;
  const options = { label, hint, ...(required ? { required } : {}) };
  if (type === "flag") return checkboxField(options);
  if (type === "secret") return passwordField({ ...options, autocomplete: "new-password" });
  return textField({
    ...options,
    maxLength: CONFIG_VALUE_MAX_CHARACTERS,
    type: type === "url" ? "url" : "text",
    isCode: true,
  });
}

/** The config as a file would hold it. What was left empty is left out, and a flag is there only when it is set. */
export const readConfig = (
  { configFields: fields }: RemoteKind,
  values: Readonly<Record<string, unknown>>,
): Json =>
  Object.fromEntries(
    fields.flatMap(({ key }): [string, Json][] => {
      const value = values[`${PREFIX}${key}`];
      return typeof value === "string" && value !== "" ? [[key, value]] : value === true ? [[key, true]] : [];
    }),
  );
