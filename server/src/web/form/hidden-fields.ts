import { randomBytes } from "node:crypto";
import { maskToken } from "../security/form-token.ts";
import { type Html, html } from "../template/html.ts";

/** The names of the fields that every form carries beside its own. No field of a form begins with an underscore. */
export const TOKEN_FIELD = "_token";
export const FORM_ID_FIELD = "_form";

/** For the inside of every form that changes something. A form id lets the same form be accepted once. */
export const hiddenFields = ({ token, formId }: { token: string; formId?: string }): Html =>
  html`<input type="hidden" name="${TOKEN_FIELD}" value="${maskToken(token)}">${
    formId === undefined ? undefined : html`<input type="hidden" name="${FORM_ID_FIELD}" value="${formId}">`
  }`;

const FORM_ID_BYTES = 16;
const FORM_ID = /^[A-Za-z0-9_-]{22}$/;

export const newFormId = (): string => randomBytes(FORM_ID_BYTES).toString("base64url");

export const isFormId = (text: string): boolean => FORM_ID.test(text);
