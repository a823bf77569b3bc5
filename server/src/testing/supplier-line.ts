import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { secret } from "../lib/secret.ts";
import type { Goods } from "../suppliers/goods.ts";
import type {
  LookUpOutcome,
  PurchaseOutcome,
  PurchaseRequest,
  RemoteSupplier,
} from "../suppliers/supplier.ts";

/** Suppliers by their ids. */
export type Suppliers = ReadonlyMap<string, RemoteSupplier>;

type Question = { supplierId: string } & (
  | { verb: "buy"; request: PurchaseRequest }
  | { verb: "look up"; reference: string; upstreamId: string | undefined }
);
/** Between processes goods go as they are. */
type Answer =
  | { kind: "delivered"; goods: Goods; upstreamId: string }
  | Exclude<LookUpOutcome, { kind: "delivered" }>;

/**
 * A supplier that is called through the process that started this one: of two hundred that live for a moment, each would
 * take longer to get ready for HTTP than for all else. One call at a time.
 */
export const supplierOverLine = (supplierId: string): RemoteSupplier => ({
  buy: async (request) => (await ask({ supplierId, verb: "buy", request })) as PurchaseOutcome,
  lookUp: (reference, upstreamId) => ask({ supplierId, verb: "look up", reference, upstreamId }),
});

async function ask(question: Question): Promise<LookUpOutcome> {
  const answered = once(process, "message");
  process.send?.(question);
  const [answer] = (await answered) as [Answer];
  return answer.kind === "delivered" ? { ...answer, goods: secret(answer.goods) } : answer;
}

/** The other end of the line: asks the suppliers for the process that was started. */
export function answerOverLine(child: ChildProcess, suppliers: Suppliers): void {
  child.on("message", async (question: Question) => {
    const supplier = suppliers.get(question.supplierId);
    if (!supplier) throw new Error(`${question.supplierId} is no supplier`);
    const answer = await (question.verb === "buy"
      ? supplier.buy(question.request)
      : supplier.lookUp(question.reference, question.upstreamId));
    child.send(answer.kind === "delivered" ? { ...answer, goods: answer.goods.reveal() } : answer);
  });
}
