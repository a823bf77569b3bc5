import type { By } from "../../src/activity/record-activity.ts";
import type { Db, Tx } from "../../src/db/database.ts";
import { importStatement } from "../../src/deposits/bank/import-statement.ts";
import { creditDeposit, openDepositOf } from "../../src/deposits/credit-deposit.ts";
import { findDeposit } from "../../src/deposits/deposit-queries.ts";
import { receiveDeposit } from "../../src/deposits/receive-deposit.ts";
import { requestDeposit } from "../../src/deposits/request-deposit.ts";
import { parseAmountLimits } from "../../src/lib/money.ts";
import { approveProposal } from "../../src/wallet/proposals/decide-proposal.ts";
import { findWallet } from "../../src/wallet/queries.ts";
import { openPeopleDesk, STAFF_TEAM } from "../people/people-desk.ts";

/** A reseller that deposits money, and two people who credit it. Above 1,000.00 USD it takes both. */
export async function openDepositDesk() {
  const desk = await openPeopleDesk();
  const { db, clock } = desk;
  const deps = { db, clock, dualControl: parseAmountLimits("USD:1000.00") };
  const byOf = (id: string): By => ({ actor: { kind: "staff", id }, address: "203.0.113.7" });
  const ana = byOf((await desk.join(STAFF_TEAM, "finance")).id);
  const ben = byOf((await desk.join(STAFF_TEAM, "admin")).id);
  const tenant = { ...(await desk.newTeam()), environment: "live" } as const;
  const user: By = { actor: { kind: "user", id: "usr_1" } };
  return {
    ...desk,
    ...{ deps, ana, ben, tenant },
    request: async (amountMinor: bigint) =>
      (await requestDeposit(deps, tenant, { amountMinor }, user)).deposit,
    receive: (id: string) => receiveDeposit(deps, id, undefined, ana),
    credit: (id: string) => creditDeposit(deps, id, ana),
    /** Returns the proposal that was approved. */
    async creditByTwo(id: string): Promise<string> {
      const made = await creditDeposit(deps, id, ana);
      if (!("proposed" in made)) throw new Error("the amount takes one person");
      await approveProposal({ ...deps, openDeposit: openDepositOf(clock) }, made.proposed.id, ben);
      return made.proposed.id;
    },
    importFile: (text: string, extraRows: readonly number[] = [], by = ana) =>
      importStatement(deps, bytesOf(text), new Set(extraRows), by),
    find: async (id: string) => {
      const deposit = await findDeposit(db, id);
      if (!deposit) throw new Error("no such deposit");
      return deposit;
    },
    balance: async (): Promise<bigint> => (await findWallet(db, tenant))?.balanceMinor ?? -1n,
  };
}

export async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Date, amount, currency, text, and the bank's own reference of the line. */
export type CsvLine = readonly [string, string, string, string, string?];

export const bankCsv = (lines: readonly CsvLine[]): string =>
  ["date,amount,currency,text,id", ...lines.map((cells) => [...cells, ""].slice(0, 5).join(","))].join("\n");

/** A database that fails before the given statement, before the commit or after it. */
export function crashAtStatement(db: Db, point: number): { db: Db; passed: () => number } {
  let passed = 0;
  const pass = (): void => {
    passed += 1;
    if (passed === point) throw new Error(`crashed at ${point}`);
  };
  const watched = (tx: Tx): Tx => ({
    ...tx,
    rows: (query, options) => {
      pass();
      return tx.rows(query, options);
    },
  });
  const crashing: Db = {
    ...db,
    transaction: async (work) => {
      const result = await db.transaction(async (tx) => {
        const done = await work(watched(tx));
        pass();
        return done;
      });
      pass();
      return result;
    },
  };
  return { db: crashing, passed: () => passed };
}
