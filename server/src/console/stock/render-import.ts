import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { fileField } from "../../web/form/file-field.ts";
import { UPLOAD_MAX_BYTES } from "../../web/form/read-upload.ts";
import { currencyField, textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { facts, panel, stack } from "../../web/parts/panel.ts";
import { columnsPanel, type ImportColumn } from "../jobs/import-columns.ts";
import type { ConsoleContext } from "../session.ts";

const ID_MAX_CHARACTERS = 64;
const AMOUNT_MAX_CHARACTERS = 20;

export const STOCK_FILE: readonly ImportColumn[] = [
  {
    name: "code",
    isRequired: true,
    what: "What the buyer redeems. Or url instead.",
    example: "TEST-EXAMPLE-0001",
  },
  { name: "pin", what: "If the code has one.", example: "1234" },
  { name: "serial", what: "The serial number, if there is one.", example: "SN-0001" },
  { name: "url", what: "The address that a buyer opens, instead of a code.", example: "" },
  {
    name: "expiresAt",
    what: "A date, which is the end of that day in UTC, or a time such as 2030-12-31T23:59:59Z. Empty is never.",
    example: "2030-12-31",
  },
];

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
    hint: "Such as 8.10. The codes of this file keep it, and prices follow it from now on. Empty takes the cost of the route.",
    maxLength: AMOUNT_MAX_CHARACTERS,
    inputmode: "decimal",
  }),
  currency: currencyField({
    label: "Currency of the cost",
    hint: "Such as USD. Empty takes the currency of the route's cost, or the product's.",
  }),
  file: fileField({
    label: "File",
    hint: `A CSV file whose first line names the columns. At most ${UPLOAD_MAX_BYTES / 1024 / 1024} MiB.`,
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
        ["First", "You see how many codes come in, at what cost, and which rows are left out."],
        ["Rows with faults", "They are named by line and column. No page, log or file shows a code."],
        ["From then on", "The codes are sold with the next orders, each at the cost of its import."],
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
    columnsPanel(STOCK_FILE, "/stock/import"),
  ),
});
