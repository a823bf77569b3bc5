import { isCurrency } from "../currencies.ts";

/** `DEPOSIT_INSTRUCTIONS`, or for one currency `DEPOSIT_INSTRUCTIONS_EUR`. */
const SETTING = /^DEPOSIT_INSTRUCTIONS(?:_(.*))?$/;
const TEXT_MAX_CHARACTERS = 4_000;

/**
 * How resellers pay for deposits, by currency; under "" for all others. `\\n` is a line break, for environments that cannot hold
 * one. `refuse` makes the error for a wrong setting.
 */
export function readDepositInstructions(
  env: Readonly<Record<string, string | undefined>>,
  refuse: (setting: string, reason: string) => Error,
): Readonly<Record<string, string>> {
  const texts = Object.entries(env).flatMap(([name, value]) => {
    const match = SETTING.exec(name);
    const text = value?.trim().replaceAll("\\n", "\n") ?? "";
    if (!match || text === "") return [];
    const [, currency = ""] = match;
    if (currency !== "" && !isCurrency(currency))
      throw refuse(name, "must end in a currency code, such as DEPOSIT_INSTRUCTIONS_EUR");
    if (text.length > TEXT_MAX_CHARACTERS)
      throw refuse(name, `must have at most ${TEXT_MAX_CHARACTERS} characters`);
    return [[currency, text] as const];
  });
  return Object.fromEntries(texts);
}
