import type { Command } from "commander";
import { creditDeposit } from "../../../deposits/credit-deposit.ts";
import { DEPOSIT_STATUSES, type DepositStatus } from "../../../deposits/deposit.ts";
import { listAnyDepositRows } from "../../../deposits/deposit-queries.ts";
import { findDepositLines, getDeposit } from "../../../deposits/get-deposit.ts";
import { receiveDeposit } from "../../../deposits/receive-deposit.ts";
import { rejectDeposit } from "../../../deposits/reject-deposit.ts";
import { required, text, UsageError, verb } from "../../verb.ts";
import { limitOf } from "../read-options.ts";
import { BY, toDepositJson } from "./deposit-json.ts";
import { importDepositsCommand } from "./import-deposits-command.ts";
import { showDeposit, showDeposits } from "./show-deposits.ts";

const LIST_MAX = 1_000;
const LIST_DEFAULT = "50";

export function depositCommands(program: Command): void {
  const deposit = program
    .command("deposit")
    .description("money that resellers send, and its way into their wallets");
  listCommand(deposit);
  showCommand(deposit);
  receiveCommand(deposit);
  creditCommand(deposit);
  rejectCommand(deposit);
  importDepositsCommand(deposit);
}

function listCommand(deposit: Command): void {
  verb(
    deposit
      .command("list")
      .description("list deposits, newest first")
      .option("--env <environment>", "live or test", "live")
      .option("--status <status>", DEPOSIT_STATUSES.join(", "))
      .option("--reseller <id>", "only of this reseller")
      .option("--limit <n>", `maximum number, up to ${LIST_MAX}`, LIST_DEFAULT),
    async ({ db, config }, options) => {
      const limit = limitOf(options, LIST_MAX);
      const environment = required(options, "env");
      if (environment !== "live" && environment !== "test")
        throw new UsageError(`--env must be live or test, not "${environment}"`);
      const rows = await listAnyDepositRows(db, environment, {
        ...{ status: statusOf(text(options, "status")), resellerId: text(options, "reseller") },
        before: undefined,
        limit: limit + 1,
      });
      const data = rows
        .slice(0, limit)
        .map((row) => ({ ...toDepositJson(row, config), resellerName: row.resellerName }));
      return { data, hasMore: rows.length > limit };
    },
    showDeposits,
  );
}

function statusOf(value: string | undefined): DepositStatus | undefined {
  if (value === undefined) return undefined;
  const status = DEPOSIT_STATUSES.find((known) => known === value);
  if (!status) throw new UsageError(`--status must be one of ${DEPOSIT_STATUSES.join(", ")}, not "${value}"`);
  return status;
}

function showCommand(deposit: Command): void {
  verb(
    deposit
      .command("show")
      .argument("<deposit>", "its id or its reference")
      .description("show a deposit and its bank lines"),
    async ({ db, config }, _options, [id = ""]) => {
      const found = await getDeposit(db, id);
      return { ...toDepositJson(found, config), bankLines: await findDepositLines(db, found.id) };
    },
    showDeposit,
  );
}

function receiveCommand(deposit: Command): void {
  verb(
    deposit
      .command("receive")
      .argument("<deposit>", "its id or its reference")
      .description("say that the payment has arrived; no money moves yet")
      .option("--amount <decimal>", "what arrived, when it is not what was requested"),
    async (context, options, [id = ""]) => {
      const { id: depositId } = await getDeposit(context.db, id);
      return toDepositJson(
        await receiveDeposit(context, depositId, text(options, "amount"), BY),
        context.config,
      );
    },
    showDeposit,
  );
}

function creditCommand(deposit: Command): void {
  verb(
    deposit
      .command("credit")
      .argument("<deposit>", "its id or its reference")
      .description("credit what was received to the wallet, once"),
    async (context, _options, [id = ""]) => {
      const { id: depositId } = await getDeposit(context.db, id);
      const deps = { ...context, dualControl: context.config.dualControlAbove };
      const result = await creditDeposit(deps, depositId, BY);
      if (!("credited" in result)) throw new Error("a command proposed a movement");
      return toDepositJson(result.credited, context.config);
    },
    showDeposit,
  );
}

function rejectCommand(deposit: Command): void {
  verb(
    deposit
      .command("reject")
      .argument("<deposit>", "its id or its reference")
      .description("end a deposit without a credit")
      .requiredOption("--reason <text>", "why; the reseller reads it"),
    async (context, options, [id = ""]) => {
      const { id: depositId } = await getDeposit(context.db, id);
      return toDepositJson(
        await rejectDeposit(context, depositId, required(options, "reason"), BY),
        context.config,
      );
    },
    showDeposit,
  );
}
