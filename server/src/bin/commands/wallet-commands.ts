import type { Command } from "commander";
import type { By } from "../../activity/record-activity.ts";
import { toMoney } from "../../lib/money.ts";
import { getReseller } from "../../resellers/get-reseller.ts";
import { findAlert } from "../../wallet/alerts/alert-queries.ts";
import { setAlert } from "../../wallet/alerts/set-alert.ts";
import { toEntryView } from "../../wallet/entry-view.ts";
import { getWallet } from "../../wallet/get-wallet.ts";
import { moveFunds } from "../../wallet/move-funds.ts";
import { findWallet, listEntryRows } from "../../wallet/queries.ts";
import type { WalletEntryView } from "../../wallet/schemas.ts";
import { showAmount, showMoney, showTime } from "../output/format.ts";
import { table } from "../output/table.ts";
import { environmentOf, required, text, UsageError, verb } from "../verb.ts";
import { limitOf, timeOf } from "./read-options.ts";

const BY: By = { actor: { kind: "command", id: "scrip" } };
const STATEMENT_MAX = 1_000;
const STATEMENT_DEFAULT = "100";

export function walletCommands(program: Command): void {
  const wallet = program.command("wallet").description("the prepaid wallets of resellers");
  moveCommand(wallet, "credit", "add money to a wallet");
  moveCommand(wallet, "debit", "take money from a wallet; the balance never goes below zero");
  statementCommand(wallet);
  alertCommand(wallet);
}

/** Without `--below` it only shows the threshold. */
function alertCommand(wallet: Command): void {
  verb(
    wallet
      .command("alert")
      .description("show or set the balance below which the reseller is told, once for each fall")
      .requiredOption("--reseller <id>", "the reseller")
      .requiredOption("--env <environment>", "live or test")
      .option("--below <amount>", 'the threshold, or "none"'),
    async ({ db, clock }, options) => {
      const resellerId = (await getReseller(db, required(options, "reseller"))).id;
      const tenant = { resellerId, environment: environmentOf(options) };
      const below = text(options, "below");
      if (below === "") throw new UsageError('--below is empty; use an amount, or "none" for no alert');
      if (below !== undefined) await setAlert({ db, clock }, tenant, below === "none" ? "" : below, BY);
      const [{ currency }, belowMinor] = await Promise.all([getWallet(db, tenant), findAlert(db, tenant)]);
      return { alert: belowMinor === null ? {} : { threshold: toMoney(belowMinor, currency) } };
    },
    ({ alert }) =>
      alert.threshold === undefined
        ? "There is no low-balance alert."
        : `The reseller is told when the balance falls below ${showMoney(alert.threshold.amount, alert.threshold.currency)}.`,
  );
}

function statementCommand(wallet: Command): void {
  verb(
    wallet
      .command("statement")
      .description("show the newest entries of a wallet")
      .requiredOption("--reseller <id>", "the reseller")
      .requiredOption("--env <environment>", "live or test")
      .option("--from <time>", "entries at this time or later, such as 2030-01-31 or 2030-01-31T12:00:00Z")
      .option("--to <time>", "entries before this time")
      .option("--limit <n>", `maximum number, up to ${STATEMENT_MAX}`, STATEMENT_DEFAULT),
    async ({ db }, options) => {
      const limit = limitOf(options, STATEMENT_MAX);
      const range = { createdFrom: timeOf(options, "from"), createdTo: timeOf(options, "to") };
      const tenant = {
        resellerId: (await getReseller(db, required(options, "reseller"))).id,
        environment: environmentOf(options),
      };
      const found = await findWallet(db, tenant);
      if (!found) throw new RangeError(`${tenant.resellerId} has no ${tenant.environment} wallet`);
      const rows = await listEntryRows(db, tenant, { ...range, before: undefined, limit: limit + 1 });
      return {
        balance: toMoney(found.balanceMinor, found.currency),
        data: rows.slice(0, limit).map(toEntryView),
        hasMore: rows.length > limit,
      };
    },
    showStatement,
  );
}

type Statement = { balance: { amount: number; currency: string }; data: WalletEntryView[]; hasMore: boolean };

function showStatement({ balance, data, hasMore }: Statement): string {
  const total = `Balance now: ${showMoney(balance.amount, balance.currency)}`;
  if (data.length === 0) return `No entries in this period.\n\n${total}`;
  const rows = data.map((row) => [
    showTime(row.createdAt),
    row.type,
    showAmount(row.amount, row.currency),
    showAmount(row.balanceAfter, row.currency),
    row.orderId ?? "",
    row.note ?? "",
  ]);
  const columns = [
    "TIME (UTC)",
    "TYPE",
    { heading: "AMOUNT", right: true },
    { heading: "BALANCE", right: true },
    { heading: "ORDER", optional: true },
    { heading: "NOTE", cut: true, optional: true },
  ] as const;
  const more = hasMore ? ["More entries exist: use --limit, --from and --to."] : [];
  return [table(columns, rows), "", ...more, total].join("\n");
}

function moveCommand(wallet: Command, direction: "credit" | "debit", description: string): void {
  verb(
    wallet
      .command(direction)
      .description(description)
      .requiredOption("--reseller <id>", "the reseller")
      .requiredOption("--env <environment>", "live or test")
      .requiredOption("--amount <decimal>", "such as 100.00, in the wallet's currency")
      .requiredOption("--note <text>", "the reason; the reseller sees it in its statement"),
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
        BY,
      );
      return { entryId: moved.entryId, balance: toMoney(moved.balanceMinor, moved.currency) };
    },
    ({ balance }) => `balance ${showMoney(balance.amount, balance.currency)}`,
  );
}
