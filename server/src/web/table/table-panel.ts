import { csvLink } from "../parts/button.ts";
import { type PagerOptions, pager } from "../parts/navigation.ts";
import { panel } from "../parts/panel.ts";
import { type Html, type HtmlValue, html } from "../template/html.ts";
import { type TableOptions, table } from "./table.ts";

export type TablePanelOptions<Row> = TableOptions<Row> & {
  title?: string;
  aside?: HtmlValue;
  /** `filterBar(…)` or `choice(…)`, above the table. */
  filters?: Html;
  pages?: PagerOptions;
  /** The same rows as a file, all of them. */
  csvHref?: string;
  /** What can be done with the rows that are selected, as a form around the table. */
  bulk?: { action: string; hidden: HtmlValue; actions: HtmlValue };
  /** Read again while it is visible. It needs an id. */
  live?: boolean;
  id?: string;
};

/** A list as most pages have it: filters, table, pages, and what to do with a selection. */
export function tablePanel<Row>(options: TablePanelOptions<Row>): Html {
  const { title, filters, pages, csvHref, bulk, id } = options;
  const rows = table(options);
  const hasRows = options.rows.length > 0;
  const list =
    bulk && hasRows
      ? html`<form method="post" action="${bulk.action}" data-picks>${bulk.hidden}${rows}${bulkBar(bulk.actions)}</form>`
      : rows;
  const aside = csvHref === undefined || !hasRows ? options.aside : html`${options.aside}${csvLink(csvHref)}`;
  return panel(
    {
      flush: true,
      ...(title === undefined ? {} : { title }),
      ...(aside === undefined ? {} : { aside }),
      ...(pages && hasRows ? { foot: pager(pages) } : {}),
      ...(id === undefined ? {} : { id }),
      live: options.live ?? false,
    },
    html`${filters}${list}`,
  );
}

const bulkBar = (actions: HtmlValue): Html =>
  html`<div class="bulk"><span class="quiet" data-picked>Select rows to act on them.</span>${actions}</div>`;
