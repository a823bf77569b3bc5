import { isPermitted } from "../../accounts/permissions.ts";
import { CODES_LISTED_MAX } from "../../fulfilment/reveal/list-codes.ts";
import type { CodeRow } from "../../fulfilment/reveal/reveal-queries.ts";
import type { OrderCodeView } from "../../fulfilment/reveal/schemas.ts";
import { copyIcon } from "../../web/parts/copy.ts";
import { countText } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { dateText } from "../../web/parts/time.ts";
import type { Column } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import type { DashboardContext } from "../session.ts";
import { orderHref } from "./list-page.ts";
import type { OrderData } from "./load-order.ts";

/** The codes that a person has just been shown, by their ids. */
export type Revealed = ReadonlyMap<string, OrderCodeView>;

export const REVEAL_FORM = "reveal";
export const CSV_FORM = "codes-csv";

type Unit = { row: CodeRow; number: number; shown: OrderCodeView | undefined };

/** Every delivered unit, masked until someone asks for it. */
export function codesPanel(
  data: OrderData,
  revealed: Revealed,
  ctx: DashboardContext,
  isLive: boolean,
): Html {
  const { codes, count } = data.codes;
  const mayReveal = mayRevealCodes(ctx);
  const rows = codes.map((row, index): Unit => ({ row, number: index + 1, shown: revealed.get(row.id) }));
  return tablePanel({
    title: "Codes",
    ...(mayReveal && count > 0 ? { filters: forms(data, ctx) } : {}),
    id: "order-codes",
    live: isLive,
    caption: "Codes",
    aside: asideOf(count, revealed, mayReveal),
    rows,
    columns: columns(data, mayReveal, rows),
    empty: nothing(data),
  });
}

export const mayRevealCodes = ({ session }: DashboardContext): boolean =>
  isPermitted({ kind: "user", role: session.role }, "codes.reveal");

/** The buttons are elsewhere on the page and name these. A file is downloaded, so Unpoly leaves its form alone. */
const forms = ({ order }: OrderData, ctx: DashboardContext): Html => {
  const [path = "", query] = orderHref(ctx, order.id).split("?");
  const action = (verb: string) => `${path}/${verb}${query === undefined ? "" : `?${query}`}`;
  return html`<form id="${REVEAL_FORM}" method="post" action="${action("reveal")}">${ctx.hidden()}</form><form id="${CSV_FORM}" method="post" action="${action("codes.csv")}" data-plain>${ctx.hidden()}</form>`;
};

function asideOf(count: number, revealed: Revealed, mayReveal: boolean): string | undefined {
  if (count === 0) return undefined;
  if (count > CODES_LISTED_MAX)
    return `The first ${countText(CODES_LISTED_MAX)} of ${countText(count)}. The CSV file has all of them.`;
  if (revealed.size > 0) return "They are hidden again when you leave this page.";
  return mayReveal ? "Each reveal is recorded." : "Your role does not show codes.";
}

const columns = (data: OrderData, mayReveal: boolean, rows: readonly Unit[]): Column<Unit>[] => {
  const hasPin = rows.some(({ shown }) => shown?.pin !== undefined);
  const hasSerial = rows.some(({ shown }) => shown?.serial !== undefined);
  const hasExpiry = rows.some(({ row }) => row.expiresAt !== null);
  return [
    { head: "Unit", numeric: true, cell: ({ number }) => number },
    { head: "Product", wraps: true, cell: ({ row }) => nameOf(data, row) },
    { head: "Code", cell: ({ row, shown }) => contentOf(row, shown) },
    ...(hasPin ? [{ head: "PIN", cell: ({ shown }: Unit) => copyable(shown?.pin, "PIN") }] : []),
    ...(hasSerial ? [{ head: "Serial", cell: ({ shown }: Unit) => copyable(shown?.serial, "serial") }] : []),
    ...(hasExpiry
      ? [{ head: "Expires", cell: ({ row }: Unit) => row.expiresAt && dateText(row.expiresAt) }]
      : []),
    ...(mayReveal
      ? [
          {
            head: html`<span class="hidden">Reveal</span>`,
            cell: ({ row, number, shown }: Unit) =>
              shown || row.kid !== null ? undefined : revealButton(row, number),
          },
        ]
      : []),
  ];
};

const contentOf = (row: CodeRow, shown: OrderCodeView | undefined): Html | undefined => {
  if (row.kid !== null) return sealedText(row.kid);
  return shown ? codeOf(shown) : MASK[row.type];
};

const nameOf = ({ order }: OrderData, { lineIndex, productId }: CodeRow): string =>
  order.lines[lineIndex]?.name ?? productId;

/** Says nothing about the code, its length included. */
const MASK: Readonly<Record<CodeRow["type"], Html>> = {
  code: html`<span class="id" role="img" aria-label="hidden code">•••• •••• ••••</span>`,
  url: html`<span class="id" role="img" aria-label="hidden link">https://••••••••</span>`,
  topup: html`<span class="quiet">topped up, receipt hidden</span>`,
};

/** A sealed code is shown as what it is: nobody here can read it. */
const sealedText = (kid: string): Html =>
  html`<span class="quiet">sealed to your key <span class="id">${kid}</span></span>`;

const codeOf = ({ code, url, receipt }: OrderCodeView): Html | undefined =>
  receipt === undefined
    ? copyable(code ?? url, url === undefined ? "code" : "link")
    : html`topped up, receipt ${copyable(receipt, "receipt")}`;

const copyable = (text: string | undefined, what: string): Html | undefined =>
  text === undefined
    ? undefined
    : html`<span class="copyable"><span class="id">${text}</span>${copyIcon(text, what)}</span>`;

const revealButton = ({ id }: CodeRow, number: number): Html =>
  html`<button class="btn plain small" type="submit" form="${REVEAL_FORM}" name="codeId" value="${id}">Reveal<span class="hidden"> unit ${number}</span></button>`;

function nothing({ order }: OrderData): Html {
  const isMoving = order.status === "pending" || order.status === "processing";
  return isMoving
    ? emptyState("Nothing delivered yet", "Codes appear here as soon as they are delivered.")
    : emptyState("No codes", "Nothing of this order was delivered. The timeline says why.");
}
