import { defineForm } from "../../web/form/define-form.ts";
import { dateField } from "../../web/form/number-fields.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { OptionFields } from "../say-refusal.ts";

/** A pinned exchange rate, as `scrip fx set` takes it. */
export const rateForm = defineForm({
  pair: textField({ label: "Pair", required: true, hint: "Such as USD/EUR.", maxLength: 20, isCode: true }),
  rate: textField({
    label: "Rate",
    required: true,
    hint: "How much of the second currency one unit of the first buys, such as 0.9215.",
    maxLength: 30,
    inputmode: "decimal",
  }),
  until: dateField({
    label: "Until",
    hint: "The day on which it ends, in UTC. Empty: as long as every rate lasts.",
  }),
});

export const RATE_OPTIONS: OptionFields = {
  "--pair": { name: "pair", label: "Pair" },
  "--rate": { name: "rate", label: "Rate" },
  "--until": { name: "until", label: "Until" },
};
