import type { Command } from "commander";
import { formatAmount, toMoney } from "../lib/money.ts";
import { getReseller } from "../resellers/get-reseller.ts";
import { toEntryView } from "../wallet/entry-view.ts";
import { moveFunds } from "../wallet/move-funds.ts";
import { findWallet, listEntryRows } from "../wallet/queries.ts";
import { environmentOf, type Options, required, table, text, UsageError, verb } from "./verb.ts";

const STATEMENT_MAX = 1_000;
const STATEMENT_DEFAULT = "100";

export function walletCommands(program: Command): void {
  const wallet = program.command("wallet").description("resellers' prepaid money");
  moveCommand(wallet, "credit", "pay into a wallet");
  moveCommand(wallet, "debit", "take out of a wallet; never below zero");

  verb(
    wallet
      .command("statement")
      .description("the newest entries of a wallet")
      .requiredOption("--reseller <id>", "whose wallet")
      .requiredOption("--env <environment>", "live or test")
      .option("--limit <n>", `how many, up to ${STATEMENT_MAX}`, STATEMENT_DEFAULT),
    async ({ db }, options) => {
      const tenant = {
        resellerId: (await getReseller(db, required(options, "reseller"))).id,
        environment: environmentOf(options),
      };
      const found = await findWallet(db, tenant);
      if (!found) throw new RangeError(`there is no ${tenant.environment} wallet of ${tenant.resellerId}`);
      const rows = await listEntryRows(db, tenant, { before: undefined, limit: limitOf(options) });
      return { balance: toMoney(found.balanceMinor, found.currency), data: rows.map(toEntryView) };
    },
    ({ balance, data }) =>
      `${table(
        ["TIME", "TYPE", "AMOUNT", "BALANCE", "ORDER", "NOTE"],
        data.map((row) => [
          row.createdAt,
          row.type,
          formatAmount(BigInt(row.amount), row.currency),
          formatAmount(BigInt(row.balanceAfter), row.currency),
          row.orderId ?? "",
          row.note ?? "",
        ]),
      )}\n\nbalance ${formatAmount(BigInt(balance.amount), balance.currency)} ${balance.currency}`,
  );
}

function moveCommand(wallet: Command, direction: "credit" | "debit", description: string): void {
  verb(
    wallet
      .command(direction)
      .description(description)
      .requiredOption("--reseller <id>", "whose wallet")
      .requiredOption("--env <environment>", "live or test")
      .requiredOption("--amount <decimal>", "such as 100.00, in the wallet's currency")
      .requiredOption("--note <text>", "why; the reseller reads it in its statement"),
    async ({ db, clock }, options) => {
      const { id: resellerId } = await getReseller(db, required(options, "reseller"));
      const moved = await moveFunds(
        db,
        clock,
        { resellerId, environment: environmentOf(options) },
        {
          direction,
          amount: required(options, "amount"),
          note: required(options, "note"),
        },
      );
      return { entryId: moved.entryId, balance: toMoney(moved.balanceMinor, moved.currency) };
    },
    ({ balance }) => `balance ${formatAmount(BigInt(balance.amount), balance.currency)} ${balance.currency}`,
  );
}

function limitOf(options: Options): number {
  const limit = text(options, "limit") ?? STATEMENT_DEFAULT;
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > STATEMENT_MAX) {
    throw new UsageError(`--limit takes a number from 1 to ${STATEMENT_MAX}, not "${limit}"`);
  }
  return Number(limit);
}
