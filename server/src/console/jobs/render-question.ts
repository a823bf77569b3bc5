import type { ProductChange } from "../../catalog/files/import-queries.ts";
import type { PriceChange } from "../../catalog/prices/price-change-queries.ts";
import type { FaultGroup } from "../../jobs/kinds/collect-faults.ts";
import type { JobDetails } from "../../jobs/list-jobs.ts";
import { button } from "../../web/parts/button.ts";
import { confirm } from "../../web/parts/confirm.ts";
import { countText } from "../../web/parts/money.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { stack } from "../../web/parts/panel.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { depositPreview } from "../deposits/render-import.ts";
import type { ConsoleContext } from "../session.ts";
import { mayCancel, mayConfirm } from "./job-rights.ts";
import { priceChangesPanel, productChangesPanel } from "./render-changes.ts";

type Question = {
  what: string;
  consequences: [name: string, text: string][];
  /** To those who may not confirm. */
  waits: string;
  changes?: Html;
};

/** What an import would do, and the question whether it should. */
export function importQuestion(job: JobDetails, ctx: ConsoleContext): Html {
  const discard = discardForm(job, ctx);
  if (job.kind === "import_deposits") return depositPreview(job, ctx, discard);
  const { what, consequences, waits, changes } = QUESTIONS[job.kind]?.(job.result ?? {}) ?? UNKNOWN;
  const asks = mayConfirm(job, ctx)
    ? confirm({
        title: `Import these ${what}?`,
        consequences: [...consequences.slice(0, 1), ...leftOut(job), ...consequences.slice(1)],
        hidden: ctx.hidden(),
        action: `/jobs/${job.id}/confirm`,
        verb: `Import ${what}`,
        cancelHref: "/jobs",
        cancel: "Decide later",
        isDestructive: false,
      })
    : notice("wait", "This import waits for a confirmation", waits);
  return stack(asks, discard, changes);
}

const UNKNOWN: Question = { what: "rows", consequences: [], waits: "A newer version of Scrip knows it." };

type Result = Readonly<Record<string, unknown>>;

const number = (result: Result, name: string): number => Number(result[name] ?? 0);
const changesText = (result: Result): string =>
  `${countText(number(result, "created"))} new, ${countText(number(result, "updated"))} changed, ${countText(number(result, "unchanged"))} unchanged`;
const AT_ONCE = "All of it together, from the next request of every reseller on.";

const QUESTIONS: Readonly<Record<string, (result: Result) => Question>> = {
  import_catalog: (result) => ({
    what: "products",
    consequences: [
      ["What changes", changesText(result)],
      ["When", AT_ONCE],
      ["Undo", "Import an export of today again. Products are never deleted."],
    ],
    waits: changesText(result),
    changes: productChangesPanel((result.changes ?? []) as ProductChange[]),
  }),
  import_prices: (result) => ({
    what: "prices",
    consequences: [
      ["What changes", changesText(result)],
      ["Whom it concerns", resellersText(number(result, "resellers"))],
      ["When", AT_ONCE],
      ["Undo", "Import the old prices again."],
    ],
    waits: "Prices are published by finance.",
    changes: priceChangesPanel((result.changes ?? []) as PriceChange[]),
  }),
  import_stock: (result) => ({
    what: "codes",
    consequences: [
      ["What is added", codesText(number(result, "imported"))],
      ["In stock after it", codesText(number(result, "level"))],
      ["Cost of one code", String(result.costEach ?? "not known, so what the route says when it is sold")],
      ...(result.costOfAll === undefined
        ? []
        : ([["Cost of all", String(result.costOfAll)]] as [string, string][])),
      ...(result.setsRouteCost === true
        ? ([["Prices", "The route costs this from now on, and price rules follow it."]] as [string, string][])
        : []),
      ["When", "They are sold with the next orders."],
      ["Undo", "Withdraw them: scrip stock withdraw. A code that is sold stays sold."],
    ],
    waits: codesText(number(result, "imported")),
  }),
};

const codesText = (count: number): string => `${countText(count)} ${count === 1 ? "code" : "codes"}`;
const resellersText = (count: number): string =>
  count === 0 ? "no reseller yet" : `${countText(count)} ${count === 1 ? "reseller" : "resellers"}`;

/** The rows with faults, in the question. */
export function leftOut({ result }: JobDetails): [string, string][] {
  const faults = Number(result?.faults ?? 0);
  if (faults === 0) return [];
  const rows =
    faults === 1 ? "1 row that is listed below" : `${countText(faults)} rows that are listed below`;
  return [["Left out", `${rows}. Correct them in a file of their own and import that.`]];
}

const discardForm = (job: JobDetails, ctx: ConsoleContext): Html | undefined =>
  mayCancel(job, ctx)
    ? html`<form class="row" method="post" action="/jobs/${job.id}/cancel">${ctx.hidden()}${button("Discard the file")}<span class="quiet">Nothing changes, and the file is erased. It is erased after a day in any case.</span></form>`
    : undefined;

/** The rows that were left out: equal faults in one row, with their lines. */
export function refusedRows({ result, isEnded }: JobDetails): Html | undefined {
  const groups = result?.groups as FaultGroup[] | undefined;
  if (!groups) return undefined;
  const faults = Number(result?.faults ?? 0);
  const shown = groups.reduce((sum, { count }) => sum + count, 0);
  const areLong = groups.some((group) => linesText(group).length > LINES_SHORT_CHARACTERS);
  return tablePanel({
    title: `${isEnded ? "Refused rows" : "Rows that are left out"}: ${countText(faults)}`,
    caption: "Refused rows",
    ...(shown < faults
      ? { aside: html`<span class="quiet">The first ${countText(shown)}. The file has all of them.</span>` }
      : {}),
    rows: groups,
    columns: [
      { head: "Lines", wraps: areLong, cell: linesText },
      { head: "Column", cell: ({ reason }) => splitReason(reason).column },
      { head: "Why", wraps: true, cell: ({ reason }) => splitReason(reason).why },
      ...(groups.some(({ id }) => id !== undefined)
        ? [{ head: "Id", cell: ({ id }: FaultGroup) => id }]
        : []),
    ],
    empty: emptyState("No row was refused", "The file as a whole was refused."),
  });
}

/** A reason begins with the name of its column, if it is about one. */
function splitReason(reason: string): { column: string; why: string } {
  const [, column = "", why = reason] = /^([A-Za-z][\w.[\]]*): (.*)$/s.exec(reason) ?? [];
  return { column, why };
}

const RANGES_SHOWN_MAX = 12;
const LINES_SHORT_CHARACTERS = 24;

/** "3, 5–9, 12 and 188 more". */
export function linesText({ lines, count }: Pick<FaultGroup, "lines" | "count">): string {
  const ranges: [first: number, last: number][] = [];
  for (const line of lines) {
    const range = ranges.at(-1);
    if (range && line <= range[1] + 1) range[1] = line;
    else ranges.push([line, line]);
  }
  const shown = ranges.slice(0, RANGES_SHOWN_MAX);
  const inShown = lines.filter((line) => line <= (shown.at(-1)?.[1] ?? 0)).length;
  const text = shown.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(", ");
  return count > inShown ? `${text} and ${countText(count - inShown)} more` : text;
}
