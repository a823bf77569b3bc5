import { type ProductEdit, toEdit } from "../../catalog/edit-product.ts";
import {
  BRAND_CHARACTERS_MAX,
  CATEGORY_CHARACTERS_MAX,
  DESCRIPTION_CHARACTERS_MAX,
  IMAGE_URL_CHARACTERS_MAX,
  TERMS_CHARACTERS_MAX,
  toDetailTexts,
} from "../../catalog/product-details.ts";
import type { CatalogFileProduct } from "../../catalog/product-queries.ts";
import { checkboxField } from "../../web/form/choice-fields.ts";
import { defineForm, type FormState, type ValuesOf } from "../../web/form/define-form.ts";
import { numberField } from "../../web/form/number-fields.ts";
import { hiddenField, textareaField, textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { panel } from "../../web/parts/panel.ts";
import type { ConsoleContext } from "../session.ts";
import { productPath } from "./load-product.ts";

const QUANTITY_MAX = 10_000;
const TEXT_MAX_CHARACTERS = 200;

export const editForm = defineForm({
  name: textField({ label: "Name", required: true, maxLength: TEXT_MAX_CHARACTERS }),
  bonus: textField({
    label: "Bonus",
    hint: "Extra value that comes with it, as text.",
    maxLength: TEXT_MAX_CHARACTERS,
  }),
  minQuantity: numberField({ label: "Lowest quantity", required: true, min: 1, max: QUANTITY_MAX }),
  maxQuantity: numberField({ label: "Highest quantity", required: true, min: 1, max: QUANTITY_MAX }),
  active: checkboxField({ label: "Active", hint: "An inactive product is in no catalog." }),
  brand: textField({ label: "Brand", maxLength: BRAND_CHARACTERS_MAX }),
  category: textField({ label: "Category", maxLength: CATEGORY_CHARACTERS_MAX }),
  country: textField({
    label: "Country",
    hint: "Two letters, such as US. Empty means worldwide.",
    maxLength: 2,
  }),
  description: textareaField({ label: "Description", maxLength: DESCRIPTION_CHARACTERS_MAX }),
  redeemInstructions: textareaField({
    label: "Redeem instructions",
    maxLength: DESCRIPTION_CHARACTERS_MAX,
  }),
  terms: textareaField({ label: "Terms", maxLength: TERMS_CHARACTERS_MAX }),
  imageUrl: textField({
    label: "Image URL",
    hint: "Starts with https://",
    maxLength: IMAGE_URL_CHARACTERS_MAX,
  }),
  seen: hiddenField("What the page showed"),
});

export const startEdit = (product: CatalogFileProduct): FormState =>
  editForm.start({
    name: product.name,
    bonus: product.bonus,
    minQuantity: String(product.minQuantity),
    maxQuantity: String(product.maxQuantity),
    active: product.active ? "yes" : [],
    ...toDetailTexts(product),
    seen: JSON.stringify(toEdit(product)),
  });

/** What the person saw before the change. Anything that is not readable compares to nothing. */
export function readSeen(text: string): ProductEdit | undefined {
  try {
    const seen = JSON.parse(text) as unknown;
    return seen !== null && typeof seen === "object" ? (seen as ProductEdit) : undefined;
  } catch {
    return undefined;
  }
}

export const readEdit = ({ seen, ...values }: ValuesOf<typeof editForm.fields>): ProductEdit => ({
  ...values,
  minQuantity: values.minQuantity ?? 1,
  maxQuantity: values.maxQuantity ?? 1,
});

export const renderEdit = (
  product: CatalogFileProduct,
  state: FormState,
  ctx: ConsoleContext,
): PageContent => ({
  title: `Edit ${product.name}`,
  crumbs: [
    { label: "Products", href: "/products" },
    { label: product.name, href: productPath(product.id) },
  ],
  subtitle:
    "Resellers see the change with their next request. Orders keep the names of the moment of ordering.",
  body: panel(
    {},
    editForm.render({
      action: `${productPath(product.id)}/edit`,
      hidden: ctx.hidden(),
      state,
      submit: "Save",
      cancelHref: productPath(product.id),
    }),
  ),
});
