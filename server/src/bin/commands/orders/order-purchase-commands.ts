import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { createAnnouncer } from "../../../db/announce.ts";
import type { LookedUpPurchase } from "../../../fulfilment/operate/look-up-order.ts";
import { answerText } from "../../../fulfilment/operate/what-was-said.ts";
import { refundOrder } from "../../../fulfilment/refund/refund-order.ts";
import { createLog } from "../../../lib/log.ts";
import { toMoney } from "../../../lib/money.ts";
import { DELIVERIES_CHANNEL } from "../../../webhooks/settings.ts";
import { showMoney } from "../../output/format.ts";
import { table } from "../../output/table.ts";
import { required, text, UsageError, verb } from "../../verb.ts";
import { linesOf, operatorOf, unitsOf } from "./order-options.ts";

/** What is done with purchases whose outcome is not known. */
export function orderPurchaseCommands(order: Command): void {
  verb(
    order
      .command("look-up")
      .description("ask suppliers now about an order's purchases with an unknown outcome; sends nothing")
      .argument("<id>")
      .option("--reason <text>", "the reason, for the activity log"),
    async (context, options, [id = ""]) => {
      const [{ lookUpOrder }, { createSupplierCalls }, { FULFILMENT_LIMITS }, { startDatabaseClock }] =
        await Promise.all([
          import("../../../fulfilment/operate/look-up-order.ts"),
          import("../../../fulfilment/supplier-calls.ts"),
          import("../../../fulfilment/limits.ts"),
          import("../../../db/database-clock.ts"),
        ]);
      // As workers do: another time could end a purchase that is still on its way.
      const clock = await startDatabaseClock(context.db, context.clock);
      const log = createLog("silent", { write: () => {} });
      const calls = createSupplierCalls({ ...context, clock, log }, FULFILMENT_LIMITS);
      const onSettled = createAnnouncer(context.db, DELIVERIES_CHANNEL);
      return lookUpOrder({ ...calls, onSettled }, id, operatorOf(options)).finally(() =>
        Promise.all([calls.closeSuppliers(), clock.stop()]),
      );
    },
    ({ purchases }) => showPurchases(purchases),
  );
  enterCodeCommand(order);
  verb(
    order
      .command("write-off")
      .description(
        "stop waiting for an order's purchases with an unknown outcome: refund their units now; a code that still arrives goes to quarantine",
      )
      .argument("<id>")
      .option("--lines <indexes>", "only these lines, from 0, such as 0,2")
      .requiredOption("--reason <text>", "the reason; the reseller sees it in its statement"),
    async ({ db, clock }, options, [id = ""]) => {
      const refunded = await refundOrder(
        db,
        clock,
        {
          orderId: id,
          lines: linesOf(text(options, "lines")),
          which: "unknown",
          reason: required(options, "reason"),
        },
        operatorOf(options),
      );
      const { amountMinor, currency, ...rest } = refunded;
      return { ...rest, amount: toMoney(amountMinor, currency) };
    },
    ({ orderId, status, refundedUnits, amount }) =>
      `${orderId}: ${refundedUnits} ${refundedUnits === 1 ? "unit" : "units"} written off, ${showMoney(amount.amount, amount.currency)} refunded; the order is ${status}`,
  );
}

/** Far more than any code, pin and serial. */
const MAILED_MAX_CHARACTERS = 10_000;

function enterCodeCommand(order: Command): void {
  verb(
    order
      .command("enter-code")
      .description("deliver the code that a supplier's support sent for a unit whose purchase has no outcome")
      .argument("<id>")
      .requiredOption("--unit <line.unit>", "the unit, from 0, such as 0.0")
      .requiredOption(
        "--file <path>",
        "a file with the code alone, or with one JSON object of code or url, pin, serial, expiresAt, or receipt; - reads standard input",
      )
      .option("--reason <text>", "the reason, for the activity log"),
    async (context, options, [id = ""]) => {
      const [{ enterCode, readMailedGoods }, { createCodeDigest }] = await Promise.all([
        import("../../../fulfilment/operate/enter-code.ts"),
        import("../../../vault/code-digest.ts"),
      ]);
      const [unit] = unitsOf(required(options, "unit")) ?? [];
      if (!unit) throw new UsageError("--unit must be a unit as line.unit, such as 0.0");
      const goods = readMailedGoods(readMailed(required(options, "file")), context.clock.now());
      if ("faults" in goods) throw new RangeError(goods.faults.join("; "));
      const deps = { ...context, digestCode: createCodeDigest(context.secrets.codeDigestKey) };
      const entered = await enterCode(deps, { orderId: id, unit, goods }, operatorOf(options));
      createAnnouncer(context.db, DELIVERIES_CHANNEL)();
      return entered;
    },
    ({ orderId, lineIndex, unitIndex }) =>
      `${orderId}: the code was sealed and delivered for line ${lineIndex}, unit ${unitIndex}`,
  );
}

/** A code is never an argument: other people of the machine can read those. */
function readMailed(path: string): Record<(typeof MAILED)[number], string> {
  const content = readFileSync(path === "-" ? 0 : path, "utf8").trim();
  if (content.length > MAILED_MAX_CHARACTERS) throw new RangeError("the file is too long to be one code");
  const cells: unknown = content.startsWith("{") ? parseJson(content) : { code: content };
  const unknown = Object.keys(cells as object).find((key) => !MAILED.includes(key as never));
  if (unknown !== undefined)
    throw new RangeError(`a code has no member "${unknown}"; it has ${MAILED.join(", ")}`);
  const textOf = (key: string): string => {
    const value = (cells as Record<string, unknown>)[key] ?? "";
    if (typeof value !== "string") throw new RangeError(`${key}: must be text`);
    return value.trim();
  };
  return Object.fromEntries(MAILED.map((key) => [key, textOf(key)])) as Record<
    (typeof MAILED)[number],
    string
  >;
}

const MAILED = ["code", "url", "pin", "serial", "expiresAt", "receipt"] as const;

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // The error would quote the code.
    throw new RangeError("the file begins as JSON and is none");
  }
}

const showPurchases = (purchases: readonly LookedUpPurchase[]): string =>
  table(
    ["REFERENCE", "OUTCOME", "ANSWER", "SUPPLIER"],
    purchases.map(({ reference, outcome, answer, supplierId }) => [
      reference,
      outcome,
      answerText(answer),
      supplierId,
    ]),
  );
