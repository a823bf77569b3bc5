import { secret } from "../../src/lib/secret.ts";
import type {
  LookUpOutcome,
  PurchaseOutcome,
  PurchaseRequest,
  RemoteSupplier,
} from "../../src/suppliers/supplier.ts";

export type ScriptedSupplier = RemoteSupplier & {
  /** The calls in order, such as "buy ord_….0.0.1". */
  asked: string[];
  /** The next responses, one for each call. The last one is repeated. */
  answers: LookUpOutcome[];
};

/** A supplier with scripted responses. */
export function createScriptedSupplier(...answers: LookUpOutcome[]): ScriptedSupplier {
  const supplier: ScriptedSupplier = {
    asked: [],
    answers,
    buy: async ({ reference }: PurchaseRequest) => {
      supplier.asked.push(`buy ${reference}`);
      return next() as PurchaseOutcome;
    },
    lookUp: async (reference, upstreamId, goods) => {
      // Whether its books show what it has sold: they do.
      if (goods === undefined) return sold(`control ${reference}`);
      supplier.asked.push(`look up ${upstreamId ?? reference}`);
      return next();
    },
  };
  const next = (): LookUpOutcome => {
    const answer = supplier.answers.length > 1 ? supplier.answers.shift() : supplier.answers[0];
    if (!answer) throw new Error("the script is empty");
    return answer;
  };
  return supplier;
}

export const sold = (code: string): PurchaseOutcome => ({
  kind: "delivered",
  goods: secret({ type: "code" as const, code }),
  upstreamId: `upstream of ${code}`,
});
export const accepted: PurchaseOutcome = { kind: "accepted", upstreamId: "ord_upstream" };
export const lost: PurchaseOutcome = { kind: "unknown", reason: "timeout" };
export const notFound: LookUpOutcome = { kind: "not_found" };
export const refused = (
  failureCode: (PurchaseOutcome & { kind: "refused" })["failureCode"],
): PurchaseOutcome => ({
  kind: "refused",
  failureCode,
  supplierFault: false,
});
