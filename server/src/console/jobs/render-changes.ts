import type { ProductChange } from "../../catalog/files/import-queries.ts";
import type { PriceChange } from "../../catalog/prices/price-change-queries.ts";
import { chip } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { moneyText } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";

/** As many as a preview lists. */
const SHOWN_MAX = 200;
const titleOf = (rows: readonly unknown[], what: string): string =>
  rows.length >= SHOWN_MAX ? `The first ${SHOWN_MAX} ${what}` : what.charAt(0).toUpperCase() + what.slice(1);

/** What an import of products would change. */
export const productChangesPanel = (changes: readonly ProductChange[]): Html =>
  tablePanel({
    title: titleOf(changes, "changes"),
    caption: "Changes",
    rows: changes,
    columns: [
      { head: "Product", cell: ({ id }) => idText(id) },
      { head: "Name", wraps: true, cell: ({ name }) => name },
      { head: "Change", cell: ({ isNew }) => (isNew ? chip("new", "good") : chip("changed", "warn")) },
      { head: "What differs", wraps: true, cell: ({ changed }) => changed.join(", ") },
    ],
    empty: emptyState("Nothing changes", "The catalog has everything in the file already."),
  });

/** What an import of prices would change: from the old price to the new one, the largest changes first. */
export const priceChangesPanel = (changes: readonly PriceChange[]): Html =>
  tablePanel({
    title: titleOf(changes, "changes"),
    caption: "Changes of prices, the largest first",
    rows: changes,
    columns: [
      {
        head: "Product",
        wraps: true,
        cell: ({ productId, productName }) =>
          twoLines(html`<a class="link" href="/products/${productId}">${productName}</a>`, productId),
      },
      {
        head: "For",
        wraps: true,
        cell: ({ priceList, resellerId }) =>
          resellerId === null
            ? `list ${priceList}`
            : html`<a class="link" href="/resellers/${resellerId}">${resellerId}</a>`,
      },
      {
        head: "Old → new",
        numeric: true,
        cell: ({ oldMinor, newMinor, currency }) =>
          `${oldMinor === null ? "none" : moneyText(BigInt(oldMinor), currency)} → ${moneyText(BigInt(newMinor), currency)}`,
      },
      { head: "Change", numeric: true, cell: changeCell },
    ],
    empty: emptyState("Nothing changes", "All prices of the file are in effect already."),
  });

/** In tenths of a percent of the old price. */
function changeCell({ oldMinor, newMinor }: PriceChange): Html | string {
  if (oldMinor === null) return chip("new", "good");
  const old = BigInt(oldMinor);
  if (old === 0n) return "from zero";
  const permille = ((BigInt(newMinor) - old) * 1_000n) / old;
  const size = permille < 0n ? -permille : permille;
  return `${permille < 0n ? "−" : "+"}${size / 10n}.${size % 10n} %`;
}
