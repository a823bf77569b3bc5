import type { ChildProcess } from "node:child_process";
import { secret } from "../../src/lib/secret.ts";
import type { Goods } from "../../src/suppliers/goods.ts";
import type {
  LookUpOutcome,
  PurchaseOutcome,
  PurchaseRequest,
  RemoteSupplier,
  ToldPrice,
} from "../../src/suppliers/supplier.ts";

/** Suppliers by id. */
export type Suppliers = ReadonlyMap<string, RemoteSupplier>;

type Question = { supplierId: string } & (
  | { verb: "buy"; request: PurchaseRequest }
  | { verb: "look up"; reference: string; upstreamId: string | undefined }
);
/** Between processes, goods are sent unsealed. */
type Answer =
  | { kind: "delivered"; goods: Goods; upstreamId: string; price?: ToldPrice }
  | Exclude<LookUpOutcome, { kind: "delivered" }>;
type Reply = { supplierId: string; answer: Answer };

/**
 * A supplier that is called through the parent process: short-lived processes would spend most of their time
 * preparing for HTTP. One call at a time per supplier.
 */
export const supplierOverLine = (supplierId: string): RemoteSupplier => ({
  buy: async (request) => (await ask({ supplierId, verb: "buy", request })) as PurchaseOutcome,
  lookUp: (reference, upstreamId) => ask({ supplierId, verb: "look up", reference, upstreamId }),
});

async function ask(question: Question): Promise<LookUpOutcome> {
  const answered = answerTo(question);
  process.send?.(question);
  const answer = await answered;
  return answer.kind === "delivered" ? { ...answer, goods: secret(answer.goods) } : answer;
}

/** Responses arrive as the suppliers give them, so not in the order of the calls. */
const answerTo = ({ supplierId }: Question): Promise<Answer> =>
  new Promise((resolve) => {
    const hear = (reply: Reply): void => {
      if (reply.supplierId !== supplierId) return;
      process.off("message", hear);
      resolve(reply.answer);
    };
    process.on("message", hear);
  });

/** The parent's side: calls the suppliers for the child process. */
export const answerOverLine =
  (suppliers: Suppliers) =>
  async (message: unknown, child: ChildProcess): Promise<void> => {
    const question = message as Question;
    const { supplierId } = question;
    const supplier = suppliers.get(supplierId);
    if (!supplier) throw new Error(`${supplierId} is not a supplier`);
    const outcome = await (question.verb === "buy"
      ? supplier.buy(question.request)
      : supplier.lookUp(question.reference, question.upstreamId));
    const answer: Answer =
      outcome.kind === "delivered" ? { ...outcome, goods: outcome.goods.reveal() } : outcome;
    child.send({ supplierId, answer } satisfies Reply);
  };
