import type { Command } from "commander";
import { type LimitChanges, VELOCITY_MAX, VELOCITY_MIN } from "../../keys/limits/read-limits.ts";
import type { KeyRow } from "../../keys/queries.ts";
import { formatAmount } from "../../lib/money.ts";
import { type Options, text } from "../verb.ts";

/** What the options take to end a limit. */
const NONE = "none";

/** The options that limit what a key may spend. */
export const limitOptions = (command: Command, orNone = ""): Command =>
  command
    .option("--max-order <amount>", `the most that one order may cost, in the reseller's currency${orNone}`)
    .option("--max-day <amount>", `the most that it may spend in a UTC day${orNone}`)
    .option(
      "--velocity <times>",
      `freeze it before it spends more than so many times its usual hour, ${VELOCITY_MIN} to ${VELOCITY_MAX}${orNone}`,
    );

export const OR_NONE = `, or "${NONE}"`;

export function givenLimits(options: Options): LimitChanges {
  return {
    maxOrder: amountOf(options, "maxOrder"),
    maxDay: amountOf(options, "maxDay"),
    velocityTimes: timesOf(options),
  };
}

/** The verb says which numbers are allowed. */
function timesOf(options: Options): number | null | undefined {
  const value = amountOf(options, "velocity");
  return typeof value === "string" ? (/^\d{1,6}$/.test(value) ? Number(value) : Number.NaN) : value;
}

/** As `--json` prints them: decimal amounts, and only limits that there are. */
export const limitsView = (key: KeyRow) => ({
  ...(key.maxOrderMinor === null ? {} : { maxOrder: formatAmount(key.maxOrderMinor, key.currency) }),
  ...(key.maxDayMinor === null ? {} : { maxDay: formatAmount(key.maxDayMinor, key.currency) }),
  ...(key.velocityTimes === null ? {} : { velocity: key.velocityTimes }),
  ...(key.maxOrderMinor === null && key.maxDayMinor === null ? {} : { currency: key.currency }),
  ...(key.frozenAt === null ? {} : { frozenAt: key.frozenAt.toISOString() }),
});

function amountOf(options: Options, name: string): string | null | undefined {
  const value = text(options, name);
  return value === NONE ? null : value;
}
