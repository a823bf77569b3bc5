import type { JobParams } from "../../jobs/job-kind.ts";
import { ORDER_STATUSES } from "../../orders/status.ts";
import { radioField, selectField } from "../../web/form/choice-fields.ts";
import { defineForm, type FormState, type ValuesOf } from "../../web/form/define-form.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { panel } from "../../web/parts/panel.ts";
import type { ConsoleContext } from "../session.ts";

const ID_MAX_CHARACTERS = 64;

export const exportForm = defineForm({
  environment: radioField({
    label: "Environment",
    choices: [
      { value: "live", label: "Live" },
      { value: "test", label: "Test" },
    ],
  }),
  status: selectField({ label: "Status", choices: ORDER_STATUSES.map((value) => ({ value, label: value })) }),
  resellerId: textField({
    label: "Reseller",
    hint: "An id, such as rsl_…",
    maxLength: ID_MAX_CHARACTERS,
    isCode: true,
  }),
  productId: textField({ label: "Product", hint: "An id", maxLength: ID_MAX_CHARACTERS, isCode: true }),
});

export const readExport = (values: ValuesOf<typeof exportForm.fields>): JobParams => ({
  environment: values.environment,
  status: values.status ?? null,
  resellerId: values.resellerId === "" ? null : values.resellerId,
  productId: values.productId === "" ? null : values.productId,
});

export const renderExport = (state: FormState, ctx: ConsoleContext): PageContent => ({
  title: "Export orders",
  crumbs: [{ label: "Jobs", href: "/jobs" }],
  subtitle: "All orders of a filter as one CSV file, however many. The file has no codes and no costs.",
  body: panel(
    {},
    exportForm.render({
      action: "/jobs/export",
      hidden: ctx.hidden(),
      state,
      submit: "Start export",
      cancelHref: "/jobs",
    }),
  ),
});
