import { EVENT_TABLE, SUBSCRIBABLE_TYPES } from "../../events/event-types.ts";
import { checkboxesField } from "../../web/form/choice-fields.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { hiddenField, textField } from "../../web/form/text-fields.ts";
import { WEBHOOK_URL_LENGTH_MAX } from "../../webhooks/addresses/webhook-url.ts";
import type { EndpointRow } from "../../webhooks/endpoints/endpoint-queries.ts";

const fields = {
  url: textField({
    label: "URL",
    hint: "Where we send events by POST. It must start with https:// and be reachable from the internet.",
    required: true,
    maxLength: WEBHOOK_URL_LENGTH_MAX,
    type: "url",
    placeholder: "https://shop.example.com/webhooks/scrip",
    isCode: true,
  }),
  events: checkboxesField({
    label: "Event types",
    hint: "Select none to get all types, including those that are added later.",
    choices: SUBSCRIBABLE_TYPES.map((type) => ({
      value: type,
      label: type,
      hint: EVENT_TABLE[type].description.replaceAll("`", ""),
    })),
  }),
};

/** A new endpoint. */
export const newEndpointForm = defineForm(fields);

/** An endpoint that is there, with what its editor saw. */
export const endpointForm = defineForm({
  ...fields,
  seenAt: hiddenField("Version"),
  seenUrl: hiddenField("URL before"),
  seenEvents: hiddenField("Event types before"),
});

export const startEdit = (row: EndpointRow): FormState =>
  endpointForm.start({ url: row.url, events: row.events ?? [], ...seenOf(row) });

const seenOf = (row: EndpointRow) => ({
  seenAt: row.updatedAt.toISOString(),
  seenUrl: row.url,
  seenEvents: eventsText(row.events),
});

/** `null` is every type. */
export const eventsText = (events: readonly string[] | null): string => events?.join(", ") ?? "all types";

/** One field that someone else changed while the form was open. */
export type ForeignChange = { label: string; before: string; after: string };

/** What is stored now and was not there when the form was opened. */
export function changesSince({ typed }: FormState, row: EndpointRow): ForeignChange[] {
  if (typed.seenAt?.[0] === row.updatedAt.toISOString()) return [];
  const list = [
    { label: "URL", before: typed.seenUrl?.[0] ?? "", after: row.url },
    { label: "Event types", before: typed.seenEvents?.[0] ?? "", after: eventsText(row.events) },
  ];
  return list.filter(({ before, after }) => before !== after);
}

/** The same form against what is stored now: sent again, it replaces what someone else wrote. */
export const rebase = (state: FormState, row: EndpointRow): FormState => {
  const seen = Object.entries(seenOf(row)).map(([name, value]) => [name, [value]]);
  return { ...state, typed: { ...state.typed, ...Object.fromEntries(seen) } };
};
