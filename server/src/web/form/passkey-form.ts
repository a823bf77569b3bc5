import { button } from "../parts/button.ts";
import { type Html, type HtmlValue, html } from "../template/html.ts";

export type PasskeyFormOptions = {
  /** Make a passkey, or prove that one is there. */
  kind: "create" | "get";
  /** A `download` by POST that answers with the options as JSON (`PublicKeyCredentialCreationOptionsJSON` and alike). */
  optionsAction: string;
  /** The action that gets the field `credential`: JSON of what the browser made of the options. */
  action: string;
  hidden: HtmlValue;
  submit: string;
  /** Further fields, such as the name of a new passkey. */
  fields?: HtmlValue;
};

/** Hidden until our module finds that the browser has passkeys: they are the one thing that needs JavaScript. */
export const passkeyForm = ({
  kind,
  optionsAction,
  action,
  hidden,
  submit,
  fields,
}: PasskeyFormOptions): Html =>
  html`<form class="form" method="post" action="${action}" data-passkey="${kind}" data-options="${optionsAction}" hidden>${hidden}<input type="hidden" name="credential" value="">${fields}<div class="row">${button(submit)}</div><p class="error" role="alert" data-passkey-error></p></form>`;
