import type { Json } from "../../lib/strict-json.ts";
import type { PurchaseOutcome } from "../supplier.ts";
import type { HttpAnswer } from "./supplier-http.ts";

type Refused = PurchaseOutcome & { kind: "refused" };
type JsonObject = { [key: string]: Json };

/** A member that is an object. */
export const objectAt = (json: Json | undefined, ...path: string[]): JsonObject | undefined => {
  const value = path.reduce<Json | undefined>((at, key) => (isObject(at) ? at[key] : undefined), json);
  return isObject(value) ? value : undefined;
};

/** A member that is text or was a number, and is not empty. */
export function textAt(json: Json | undefined, ...path: string[]): string | undefined {
  const key = path.at(-1) ?? "";
  const value = (path.length > 1 ? objectAt(json, ...path.slice(0, -1)) : objectAt(json))?.[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A member that must be there, as text, or empty or null where there is nothing. `broken` when it is not as expected. */
export function maybeTextAt(json: Json | undefined, key: string): { text?: string } | "broken" {
  const members = objectAt(json);
  const value = members && key in members ? members[key] : undefined;
  if (value === null || value === "") return {};
  return typeof value === "string" ? { text: value } : "broken";
}

export const listOf = (json: Json | undefined): readonly Json[] | undefined =>
  Array.isArray(json) ? json : undefined;

const isObject = (json: Json | undefined): json is JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json);

/** An id of a supplier that can be put in a path and in a column of 200 characters. */
export const usableId = (id: string | undefined): string | undefined =>
  id !== undefined && /^[A-Za-z0-9_-][A-Za-z0-9._:-]{0,199}$/.test(id) ? id : undefined;

/** Why an answer proves nothing, in a word of our own: it goes into logs, so it quotes nothing of the answer. */
export function reasonOf(answer: HttpAnswer): string {
  if (answer.kind === "lost") return answer.reason;
  if (answer.status === 429) return "busy";
  if (answer.status >= 500) return "server_error";
  if (answer.status === 401 || answer.status === 403) return "not_authorized";
  return "nonsense";
}

export const unknownBecauseOf = (answer: HttpAnswer) =>
  ({ kind: "unknown", reason: reasonOf(answer) }) as const;
export const NONSENSE = { kind: "unknown", reason: "nonsense" } as const;
/** The supplier says that our reference is taken. The look-up finds out by what. */
export const CONFLICT = { kind: "unknown", reason: "conflict" } as const;
/** Nothing can be bought there until an operator fixes it. */
export const UNUSABLE: Refused = {
  kind: "refused",
  failureCode: "temporarily_unavailable",
  supplierFault: true,
};
/** The same, because the credentials are wrong. */
export const NOT_SIGNED_IN: Refused = { ...UNUSABLE, isUnheard: true };
/** The route does not fit the supplier: nothing was sent. */
export const BAD_ROUTE: Refused = { ...UNUSABLE, supplierFault: false };

export const isSuccess = (answer: HttpAnswer): answer is HttpAnswer & { kind: "answer"; body: Json } =>
  answer.kind === "answer" && answer.status >= 200 && answer.status < 300 && answer.body !== undefined;

const RETRY_MAX_MS = 60_000;
const RETRY_DEFAULT_MS = 250;

/** How long a supplier that answered 429 asks us to wait. Undefined for any other answer. */
export function pauseAsked(answer: HttpAnswer): number | undefined {
  if (answer.kind === "lost" || answer.status !== 429) return undefined;
  const seconds = /^\d{1,6}$/.test(answer.headers["retry-after"] ?? "")
    ? Number(answer.headers["retry-after"])
    : undefined;
  return seconds === undefined ? RETRY_DEFAULT_MS : Math.min(seconds * 1_000, RETRY_MAX_MS);
}
