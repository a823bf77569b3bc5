import type { IncomingMessage } from "node:http";
import type { Refusal } from "./upstream-faults.ts";
import type { Demand, Ledger, Purchase } from "./upstream-ledger.ts";
import type { ErrorMishap, Verb } from "./upstream-steps.ts";

/** A complete response. */
export type Reply = { status: number; headers: Readonly<Record<string, string>>; text: string };

export type Call =
  | { verb: "place"; demand: Demand }
  | { verb: "list"; reference: string }
  | { verb: "read" | "codes"; orderId: string };

/** How one supplier speaks. Everything else about misfortune is the same for all of them. */
export type Dialect = {
  /** What a request asks for, or the reply to one that is about no purchase, such as a sign-in. */
  readRequest(request: IncomingMessage, body: string, ledger: Ledger): { call: Call } | { reply: Reply };
  placed(purchase: Purchase, replayed: boolean): Reply;
  /** The search by our reference. */
  listed(purchases: readonly Purchase[]): Reply;
  read(purchase: Purchase): Reply;
  codes(purchase: Purchase): Reply;
  missing(verb: Verb): Reply;
  conflict(): Reply;
  refused(refusal: Refusal): Reply;
  error(mishap: ErrorMishap): Reply;
  /** A valid reply whose content is impossible or untrue, or undefined where the dialect has none. */
  spoil(
    verb: Verb,
    truth: Reply,
    mishap: ContentMishap,
    variant: number,
    stranger: Purchase,
  ): Reply | undefined;
};

export type ContentMishap =
  | "wrong-shape"
  | "other-order"
  | "banana"
  | "early"
  | "back"
  | "not-fulfilled"
  | "empty-codes"
  | "extra-code"
  | "odd-characters";
