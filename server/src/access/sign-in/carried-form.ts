import type { AccountDeps } from "../../accounts/account-deps.ts";
import type { Session } from "../../accounts/sessions/find-session.ts";
import { open, SealError, seal } from "../../vault/seal.ts";
import { FORM_ID_FIELD, isFormId, newFormId, TOKEN_FIELD } from "../../web/form/hidden-fields.ts";
import type { WaitingForm, Will } from "../../web/pages/define-page.ts";

/**
 * A form that waits until its person has proved who they are. It is run once, however often the proof or the form itself is sent: it keeps
 * the id of a form that has one.
 */
export type CarriedForm = WaitingForm & { will: Will; formId: string };

/** A form that would not fit beside the proof is typed again. */
const CARRIED_MAX_BYTES = 32 * 1024;
/** A page that was left open for longer does nothing any more. */
export const CARRIED_MAX_MS = 60 * 60_000;

type Carrying = Pick<AccountDeps, "keyring">;

/**
 * What was typed, for a hidden field: sealed for this session, because what waits may be a secret, and so that nobody changes what the
 * page says will be done. Passwords stay out. Undefined when it is too long.
 */
export function carryForm(
  { keyring }: Carrying,
  session: Session,
  { form, ...waiting }: WaitingForm,
  will: Will,
  now: Date,
): string | undefined {
  const fields = [...form].filter(
    ([name]) => name !== TOKEN_FIELD && name !== FORM_ID_FIELD && !/password/i.test(name),
  );
  const [sentId = ""] = form.get(FORM_ID_FIELD) ?? [];
  const formId = isFormId(sentId) ? sentId : newFormId();
  const carried: Stored = { ...waiting, fields, will, formId, at: now.getTime() };
  const bytes = Buffer.from(JSON.stringify(carried));
  if (bytes.length > CARRIED_MAX_BYTES) return undefined;
  return seal(keyring.masterKeys(), contextOf(session), bytes).toString("base64url");
}

type Stored = Omit<CarriedForm, "form"> & {
  fields: readonly (readonly [string, readonly string[]])[];
  at: number;
};

/** Undefined for what this session was not given, or so long ago that its person may have forgotten what it was. */
export function openCarried(
  { keyring }: Carrying,
  session: Session,
  text: string,
  now: Date,
): CarriedForm | undefined {
  const stored = unseal(keyring, session, text);
  if (!stored || now.getTime() - stored.at >= CARRIED_MAX_MS) return undefined;
  const { fields, at: _at, ...carried } = stored;
  return { ...carried, form: new Map(fields) };
}

function unseal(keyring: AccountDeps["keyring"], session: Session, text: string): Stored | undefined {
  try {
    const bytes = open(keyring.masterKeys(), contextOf(session), Buffer.from(text, "base64url"));
    return JSON.parse(bytes.toString()) as Stored;
  } catch (error) {
    if (error instanceof SealError) return undefined;
    throw error;
  }
}

const contextOf = ({ face, id }: Session): string => `carried form/${face}/${id}`;
