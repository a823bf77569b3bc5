import { SCOPES, type Scope } from "../../http/caller.ts";
import { GRACE_MAX_HOURS } from "../../keys/roll-key.ts";
import { checkboxesField } from "../../web/form/choice-fields.ts";
import { defineForm } from "../../web/form/define-form.ts";
import { dateField, numberField } from "../../web/form/number-fields.ts";
import { textareaField, textField } from "../../web/form/text-fields.ts";
import { limitFields } from "./key-limits.ts";

const NAME_MAX_CHARACTERS = 80;

/** What each scope opens, as the guides say it. */
const SCOPE_HINTS: Readonly<Record<Scope, string>> = {
  "catalog:read": "Products and prices",
  "orders:read": "Orders and their codes",
  "orders:write": "Places orders, which spends from the wallet",
  "wallet:read": "Balance and statement",
  "wallet:write": "The low-balance threshold and deposits",
  "webhooks:manage": "Endpoints, deliveries and events",
  "requests:read": "The log of API requests",
};

const name = textField({
  label: "Name",
  required: true,
  maxLength: NAME_MAX_CHARACTERS,
  hint: "Where it is used, such as checkout.",
});

const scopes = checkboxesField({
  label: "Scopes",
  required: true,
  choices: SCOPES.map((value) => ({ value, label: value, hint: SCOPE_HINTS[value] })),
});

const allowedIps = textareaField({
  label: "Allowed addresses",
  rows: 3,
  isCode: true,
  hint: "IP addresses and CIDR ranges, one on each line. Leave it empty to allow any address.",
});

export const createForm = defineForm({
  name,
  scopes,
  allowedIps,
  ...limitFields,
  expires: dateField({
    label: "Expires",
    hint: "At the beginning of this day in UTC. Leave it empty for no end.",
  }),
});

export const editForm = defineForm({ name, scopes, allowedIps, ...limitFields });

export const rollForm = defineForm({
  grace: numberField({
    label: "The old key still works for",
    required: true,
    min: 0,
    max: GRACE_MAX_HOURS,
    unit: "hours",
    hint: `From 0, which ends it at once, to ${GRACE_MAX_HOURS}.`,
  }),
});

/** To revoke and to unfreeze: a button alone. */
export const confirmForm = defineForm({});

/** Addresses as people paste them: on lines, or with commas or spaces between. */
export const readAddresses = (text: string): string[] => text.split(/[\s,;]+/).filter((one) => one !== "");
