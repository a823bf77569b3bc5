import { attrs, type Html, type HtmlValue, html } from "../template/html.ts";

export type Column<Row> = {
  head: HtmlValue;
  cell: (row: Row) => HtmlValue;
  /** Right-aligned figures of equal width: money, counts, durations. */
  numeric?: boolean;
  /** Text that may break into lines; all other cells keep to one. */
  wraps?: boolean;
};

export type TableOptions<Row> = {
  /** What the table lists, for those who hear it: "Orders". */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** The heading of a row's group, above the first row of each. Rows of a group follow each other. */
  group?: (row: Row) => string;
  /** Shown in place of the table when there are no rows. */
  empty: Html;
  /** A checkbox before each row. The table must then stand in a form. */
  selection?: { name: string; value: (row: Row) => string; label: (row: Row) => string };
};

/** From here on the table scrolls below its head instead of growing. */
const TALL_FROM_ROWS = 16;

/** Rows with a head that stays in sight. What is too wide scrolls inside, so the page itself never does. */
export function table<Row>({ caption, columns, rows, group, empty, selection }: TableOptions<Row>): Html {
  if (rows.length === 0) return empty;
  const heads = columns.map(
    ({ head, numeric }) => html`<th scope="col"${attrs({ class: numeric ? "num" : undefined })}>${head}</th>`,
  );
  const trOf = (row: Row): Html => {
    const box =
      selection &&
      html`<td class="pick"><input type="checkbox" name="${selection.name}" value="${selection.value(row)}" aria-label="${selection.label(row)}"></td>`;
    return html`<tr>${box}${columns.map((column) => cellOf(column, row))}</tr>`;
  };
  const span = columns.length + (selection ? 1 : 0);
  const body = group
    ? [...Map.groupBy(rows, group)].map(
        ([title, members]) =>
          html`<tbody><tr><th scope="rowgroup" colspan="${span}"><b>${title}</b></th></tr>${members.map(trOf)}</tbody>`,
      )
    : html`<tbody>${rows.map(trOf)}</tbody>`;
  const isTall = rows.length >= TALL_FROM_ROWS;
  return html`<div class="scroll${isTall ? " tall" : ""}" role="region" aria-label="${caption}" tabindex="0"><table><caption class="hidden">${caption}</caption><thead><tr>${
    selection &&
    html`<th class="pick"><input type="checkbox" data-pick-all aria-label="Select all" disabled></th>`
  }${heads}</tr></thead>${body}</table></div>`;
}

function cellOf<Row>({ cell, numeric, wraps }: Column<Row>, row: Row): Html {
  if (numeric) return html`<td class="num">${cell(row)}</td>`;
  return wraps ? html`<td class="wraps">${cell(row)}</td>` : html`<td>${cell(row)}</td>`;
}

/** Two lines in one cell: what it is, and quieter what belongs to it. */
export const twoLines = (first: HtmlValue, second: HtmlValue): Html =>
  html`<div>${first}</div><div class="quiet">${second}</div>`;
