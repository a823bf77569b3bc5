import { COMMAND, type Operator } from "../../../fulfilment/operate/operator.ts";
import type { UnitRef } from "../../../fulfilment/operate/unit-choice.ts";
import { listed, type Options, text, UsageError } from "../../verb.ts";

/** Who a command is, and why it is given. */
export const operatorOf = (options: Options): Operator => ({ ...COMMAND, reason: text(options, "reason") });

export function linesOf(value: string | undefined): number[] | undefined {
  return listed(value)?.map((index) => {
    if (!/^\d{1,2}$/.test(index))
      throw new UsageError(`--lines must be line numbers such as 0,2, not "${index}"`);
    return Number(index);
  });
}

export function unitsOf(value: string | undefined): UnitRef[] | undefined {
  return listed(value)?.map((unit) => {
    const [, line, index] = /^(\d{1,2})\.(\d{1,6})$/.exec(unit) ?? [];
    if (index === undefined)
      throw new UsageError(`--units must be units as line.unit, such as 0.0,0.3, not "${unit}"`);
    return { lineIndex: Number(line), unitIndex: Number(index) };
  });
}
