import type { Db, Queryable, QueryOptions, Statement } from "../../src/db/database.ts";
import type { RemoteSupplier } from "../../src/suppliers/supplier.ts";
import { createTurns } from "../turns.ts";

export type Failpoints = {
  wrapDb(db: Db): Db;
  wrapSupplier(supplier: RemoteSupplier): RemoteSupplier;
  /** The last point, after everything. */
  end(): Promise<void>;
};

/**
 * Points at which a worker stops as in a power cut: between any two of its external effects, which are statements,
 * the start and commit of transactions, and supplier calls.
 *
 * Effects happen one at a time, transactions as a whole, and in the same order in each run. The moment after one
 * effect is the moment before the next, so a number always means the same point and none is missed. At the selected
 * point everything stops until `die`, which never returns, has done its work.
 */
export function createFailpoints(
  killAt: number,
  tell: (point: string) => void,
  die: () => Promise<never>,
): Failpoints {
  const takeTurn = createTurns();
  let passed = 0;
  let last = "the start";
  const pass: Pass = async (next) => {
    passed += 1;
    tell(`after ${last}, before ${next}`);
    if (passed === killAt) await die();
    last = next;
  };
  const call = <Answer>(name: string, ask: () => Promise<Answer>): Promise<Answer> =>
    takeTurn(async () => {
      await pass(name);
      return ask();
    });

  return {
    wrapDb: (db) => ({
      ...db,
      rows: (query, options) => takeTurn(() => run(pass, db, query, options)),
      transaction: (work) =>
        takeTurn(async () => {
          await pass("begin");
          return db.transaction(async (tx) => {
            const result = await work({
              isTransaction: true,
              rows: (query, options) => run(pass, tx, query, options),
            });
            await pass("commit");
            return result;
          });
        }),
    }),
    wrapSupplier: (supplier) => ({
      buy: (request) => call("buy", () => supplier.buy(request)),
      lookUp: (reference, upstreamId) => call("look up", () => supplier.lookUp(reference, upstreamId)),
    }),
    end: () => pass("the end"),
  };
}

type Pass = (next: string) => Promise<void>;

/** PostgreSQL returns these in any order, which would change the order of everything that follows. */
const UNORDERED: ReadonlySet<string | undefined> = new Set(["claim-due-orders", "read-taken-orders"]);

async function run<Row>(pass: Pass, db: Queryable, query: Statement, options?: QueryOptions): Promise<Row[]> {
  await pass(nameOf(query, options));
  const rows = await db.rows<Row>(query, options);
  if (!UNORDERED.has(options?.name)) return rows;
  return rows.toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
}

const idOf = (row: unknown): string => (row as { id: string }).id;

const NAME_CHARACTERS = 40;

const nameOf = ({ text }: Statement, options?: QueryOptions): string =>
  options?.name ?? text.trim().replace(/\s+/g, " ").slice(0, NAME_CHARACTERS);
