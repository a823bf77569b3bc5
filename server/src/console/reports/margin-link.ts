import type { CurrencyMargin } from "../../reports/sum-margin.ts";
import { here } from "../../web/pages/here.ts";
import { moneyText } from "../../web/parts/money.ts";
import { type Html, html } from "../../web/template/html.ts";
import type { ConsoleContext } from "../session.ts";
import { REPORTS } from "./render-report.ts";

/** The margin of one reseller or product in each currency, which leads to its report. */
export function marginLink(
  margins: readonly CurrencyMargin[],
  of: "reseller" | "product",
  id: string,
  ctx: ConsoleContext,
): Html {
  const known = margins.flatMap(({ currency, marginMinor, isConverted }) =>
    marginMinor === undefined ? [] : [{ text: moneyText(marginMinor, currency), isConverted }],
  );
  const text =
    known.length === 0
      ? "no delivered order with a known cost"
      : known.map((one) => `${one.text}${one.isConverted ? ", converted" : ""}`).join("; ");
  return html`<a class="link" href="${here(ctx, `${REPORTS}/margin`, { [of]: id })}">${text}</a>`;
}
