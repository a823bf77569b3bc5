/** Why a verb of this room did nothing. Pages choose what to show by the code, and put the message at its field. */
export type RefusalCode =
  | "not_found"
  | "link_unusable"
  | "email_invalid"
  | "email_taken"
  | "already_on_team"
  | "name_invalid"
  | "role_invalid"
  | "password_unfit"
  | "sign_in_refused"
  | "code_refused"
  | "passkey_refused"
  | "proof_refused"
  | "proof_needed"
  | "session_ended"
  | "not_permitted"
  | "factor_exists"
  | "factor_needed"
  | "limit_reached"
  | "last_owner"
  | "own_factor"
  | "not_local"
  | "amount_invalid"
  | "reason_needed"
  | "own_proposal"
  | "proposal_closed"
  | "deposit_closed";

/** The message is for the person who asked. It never repeats a password, a code or a token. */
export class Refusal extends RangeError {
  readonly code: RefusalCode;
  /** The field of the form that is at fault. */
  readonly field: string | undefined;

  constructor(code: RefusalCode, message: string, field?: string) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.field = field;
  }
}
