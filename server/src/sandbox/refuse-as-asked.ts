import { formatAmount, toSafeInteger } from "../lib/money.ts";
import { Problem } from "../lib/problem.ts";
import type { ForcedRefusal } from "./scenarios.ts";

type Asked = { lines: readonly { name: string }[]; totalMinor: bigint; currency: string };

/** The refusal that a scenario forces on an order that could be placed, worded as in live. */
export function refuseAsAsked(scenario: ForcedRefusal, { lines, totalMinor, currency }: Asked): Problem {
  if (scenario === "insufficient_funds") {
    const total = `${formatAmount(totalMinor, currency)} ${currency}`;
    return new Problem(
      "insufficient_funds",
      `The order costs ${total}, which is more than the wallet holds.`,
      {
        members: {
          required: { amount: toSafeInteger(totalMinor), currency },
          balance: { amount: 0, currency },
        },
      },
    );
  }
  const why = scenario === "out_of_stock" ? "is treated as out of stock" : "is treated as unavailable";
  const detail = `"${lines[0]?.name}" ${why}.`;
  return new Problem(scenario, detail, {
    errors: [{ pointer: "/lines/0/productId", code: scenario, detail }],
  });
}
