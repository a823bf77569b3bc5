import { attrs, html } from "../template/html.ts";
import { controlAttributes, type Field, type FieldOptions, fieldFrame } from "./field.ts";

/** A file. Its bytes are in `ctx.files` under the name of the field; what was chosen cannot be shown again. */
export const fileField = (options: FieldOptions & { accept?: string }): Field<undefined> => ({
  label: options.label,
  read: () => ({ value: undefined }),
  render: (name, state) =>
    fieldFrame(
      options,
      state,
      html`<input${attrs({ ...controlAttributes(options, state), type: "file", name, accept: options.accept })}>`,
    ),
});
