import { type Html, type HtmlValue, html } from "../template/html.ts";
import { button, linkButton } from "./button.ts";
import { facts, panel, row, stack } from "./panel.ts";

export type ConfirmOptions = {
  /** A question: "Revoke checkout?". */
  title: string;
  /** Who gets what, whether it can be undone: said before it happens. */
  consequences: readonly (readonly [who: string, what: HtmlValue])[];
  /** Fields of the form, such as a reason. */
  fields?: HtmlValue;
  /** The form's hidden fields: `hiddenFields(ctx)`. */
  hidden: HtmlValue;
  action: string;
  /** What the button says: the verb itself, never "OK". */
  verb: string;
  cancelHref: string;
  cancel?: string;
  isDestructive?: boolean;
};

/** A decision with its consequences. It is a section or a page and needs no JavaScript. */
export const confirm = (options: ConfirmOptions): Html =>
  html`<form class="confirm" method="post" action="${options.action}" id="confirm">${options.hidden}${panel(
    { title: options.title },
    stack(
      facts(options.consequences),
      options.fields,
      row(
        button(options.verb, { kind: (options.isDestructive ?? true) ? "danger" : "main" }),
        linkButton(options.cancel ?? "Cancel", options.cancelHref),
      ),
    ),
  )}</form>`;
