import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { fileField } from "../../web/form/file-field.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { facts, panel, stack } from "../../web/parts/panel.ts";
import type { ConsoleContext } from "../session.ts";

const ID_MAX_CHARACTERS = 64;
const AMOUNT_MAX_CHARACTERS = 20;

export const stockForm = defineForm({
  productId: textField({
    label: "Product",
    hint: "The id of the product that the codes are for.",
    required: true,
    maxLength: ID_MAX_CHARACTERS,
    isCode: true,
  }),
  supplierId: textField({
    label: "Supplier",
    hint: "The id of the stock supplier. Needed when there are several.",
    maxLength: ID_MAX_CHARACTERS,
    isCode: true,
  }),
  cost: textField({
    label: "Cost of one code",
    hint: "Such as 8.10. For the route that a first import makes.",
    maxLength: AMOUNT_MAX_CHARACTERS,
  }),
  file: fileField({
    label: "File",
    hint: "CSV whose first line names the columns: code,pin,serial,url,expiresAt. At most 32 MiB.",
    required: true,
    accept: ".csv",
  }),
});

export const renderStockImport = (state: FormState, ctx: ConsoleContext): PageContent => ({
  title: "Import codes",
  crumbs: [{ label: "Stock", href: "/stock" }],
  body: stack(
    panel(
      { title: "What happens" },
      facts([
        ["The file", "It is sealed as soon as it arrives, and erased when the import has ended."],
        ["All or nothing", "One invalid row, or a code that is known already, stops the whole file."],
        ["Refused rows", "They are named by line number. No page, log or file shows a code."],
        ["From then on", "The codes are sold with the next orders."],
      ]),
    ),
    panel(
      { title: "Codes" },
      stockForm.render({
        action: "/stock/import",
        hidden: ctx.hidden(),
        state,
        submit: "Import codes",
        cancelHref: "/stock",
        takesFiles: true,
      }),
    ),
  ),
});
