import { namePeople } from "../../accounts/people/name-people.ts";
import { findingsCsv } from "../../suppliers/reconcile/findings-csv.ts";
import {
  getReconciliation,
  type KeptFinding,
  type KeptReconciliation,
  listFindings,
  listReconciliations,
} from "../../suppliers/reconcile/keep-reconciliation.ts";
import { FINDINGS, type FindingKind } from "../../suppliers/reconcile/reconcile.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { idText } from "../../web/parts/copy.ts";
import { filterBar } from "../../web/parts/filter-bar.ts";
import { countText, money, moneyText } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { facts, panel, stack, statTiles } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { href } from "../../web/template/safe-url.ts";
import { orNotFound } from "../say-refusal.ts";
import type { ConsoleContext, ConsoleDeps, ConsoleFace } from "../session.ts";

const PER_PAGE = 50;
const FINDINGS_PER_PAGE = 100;
/** A file has as many; more are read page by page. */
const CSV_MAX = 200_000;

export const reconcilePath = (id: string): string => `/suppliers/${id}/reconcile`;
export const reconciliationPath = (id: string): string => `/reconciliations/${id}`;

/** What people read for a finding. */
const FINDING_WORDS: Readonly<Record<FindingKind, string>> = {
  missing_there: "Missing there",
  missing_here: "Missing here",
  amount_differs: "Amount differs",
  duplicate: "Charged twice",
  reversal: "Taken back",
  no_outcome_here: "No outcome here",
  unreadable: "Not read",
};

/** What a person does about it. */
const NEXT_STEPS: Readonly<Record<FindingKind, string>> = {
  missing_there: "You have it, and they do not charge it. Compare again once their next statement is out.",
  missing_here: "They charge a purchase that is not in your books. Claim the money, or ask them what it was.",
  amount_differs: "They charge another amount than your books have. Claim what is too much.",
  duplicate: "They charge one purchase twice. Claim one of the charges.",
  reversal:
    "They gave your money back after delivery. Keep or charge back the unit on the page of its order.",
  no_outcome_here:
    "They name a purchase whose outcome you do not know yet. Look it up on the page of its order.",
  unreadable: "Its line could not be read. Correct the line and compare again, or ask them about it.",
};

/** Comparisons with suppliers' statements, kept with what they found. */
export function reconciliationPages(face: ConsoleFace, deps: ConsoleDeps): void {
  const permission = "reconciliation.manage" as const;
  face.page({
    path: "/reconciliations",
    permission,
    async load(ctx) {
      const beforeId = /^rcn_[0-9a-z]{1,40}$/.test(ctx.query.cursor ?? "") ? ctx.query.cursor : undefined;
      const found = await listReconciliations(deps.db, { beforeId, limit: PER_PAGE + 1 });
      return { page: found.slice(0, PER_PAGE), hasNext: found.length > PER_PAGE };
    },
    render: ({ page, hasNext }, ctx) => ({
      title: "Reconciliations",
      subtitle: "Suppliers' statements held against your purchases.",
      body: reconciliationsPanel(page, ctx, {
        pages: { path: "/reconciliations", next: hasNext ? page.at(-1)?.id : undefined },
      }),
    }),
  });
  face.page({
    path: reconciliationPath(":id"),
    permission,
    load: (ctx) => loadReconciliation(deps, ctx),
    render: renderReconciliation,
  });
  face.download({
    path: `${reconciliationPath(":id")}/findings.csv`,
    permission,
    async load(ctx) {
      const { id } = await orNotFound(getReconciliation(deps.db, ctx.params.id ?? ""));
      const findings = await listFindings(deps.db, id, { after: 0, limit: CSV_MAX });
      return {
        type: "text/csv; charset=utf-8",
        filename: `${id}-findings.csv`,
        body: findingsCsv(findings),
      };
    },
  });
}

async function loadReconciliation({ db }: ConsoleDeps, ctx: ConsoleContext) {
  const kept = await orNotFound(getReconciliation(db, ctx.params.id ?? ""));
  const kind = FINDINGS.find((one) => one === ctx.query.kind);
  const after = /^\d{1,9}$/.test(ctx.query.cursor ?? "") ? Number(ctx.query.cursor) : 0;
  const found = await listFindings(db, kept.id, { kind, after, limit: FINDINGS_PER_PAGE + 1 });
  const emails = await namePeople(db, { kind: "staff" }, [kept.actor.id]);
  return {
    kept,
    kind,
    findings: found.slice(0, FINDINGS_PER_PAGE),
    hasNext: found.length > FINDINGS_PER_PAGE,
    hasFirst: after > 0,
    by: emails.get(kept.actor.id) ?? `the ${kept.actor.kind}`,
  };
}

const sumOf = (minor: bigint, currency: string): HtmlValue => (currency === "" ? "" : money(minor, currency));
const dayText = (day: Date): string => day.toISOString().slice(0, 16).replace("T", " ").replace(" 00:00", "");
const periodText = ({ from, to }: KeptReconciliation): string => `${dayText(from)} to ${dayText(to)}`;
const findingsCount = ({ counts }: KeptReconciliation): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

const foundKinds = ({ counts }: KeptReconciliation): FindingKind[] =>
  FINDINGS.filter((one) => (counts[one] ?? 0) > 0);

type PanelOptions = {
  title?: string;
  /** All are of the supplier whose page it is. */
  isOfOne?: boolean;
  pages?: { path: string; next: string | undefined };
};

export const reconciliationsPanel = (
  rows: readonly KeptReconciliation[],
  ctx: ConsoleContext,
  { isOfOne = false, ...options }: PanelOptions,
): Html =>
  tablePanel({
    ...options,
    caption: "Reconciliations",
    rows,
    columns: [
      {
        head: "Compared",
        cell: ({ id, comparedAt }) =>
          html`<a class="link" href="${reconciliationPath(id)}">${time(comparedAt, ctx.now)}</a>`,
      },
      ...(isOfOne
        ? []
        : [{ head: "Supplier", wraps: true, cell: ({ supplierName }: KeptReconciliation) => supplierName }]),
      { head: "Period (UTC)", cell: periodText },
      { head: "Statement", cell: ({ fileDigest }) => (fileDigest === undefined ? "asked" : "file") },
      { head: "Entries", numeric: true, cell: ({ entries }) => countText(entries) },
      { head: "Matched", numeric: true, cell: ({ matched }) => countText(matched) },
      { head: "Findings", numeric: true, cell: (kept) => countText(findingsCount(kept)) },
      {
        head: "Difference",
        numeric: true,
        cell: ({ totals }) =>
          totals
            .filter(({ currency }) => currency !== "")
            .map(({ differenceMinor, currency }) => moneyText(differenceMinor, currency))
            .join(", "),
      },
    ],
    empty: emptyState(
      "No reconciliations yet",
      "Open a supplier and choose Reconcile.",
      linkButton("Suppliers", "/suppliers"),
    ),
  });

type Loaded = Awaited<ReturnType<typeof loadReconciliation>>;

function renderReconciliation(loaded: Loaded, ctx: ConsoleContext): PageContent {
  const { kept, by } = loaded;
  const { totals, fileDigest } = kept;
  return {
    title: `Reconciliation of ${kept.supplierName}`,
    crumbs: [{ label: "Reconciliations", href: "/reconciliations" }],
    subtitle: idText(kept.id),
    actions: linkButton("Compare again", reconcilePath(kept.supplierId)),
    body: stack(
      statTiles([
        { label: "Entries", value: countText(kept.entries) },
        { label: "Matched", value: countText(kept.matched) },
        ...foundKinds(kept).map((one) => ({
          label: FINDING_WORDS[one],
          value: countText(kept.counts[one] ?? 0),
        })),
        ...totals
          .filter(({ currency }) => currency !== "")
          .map(({ currency, differenceMinor }) => ({
            label: "Difference",
            value: moneyText(differenceMinor, currency),
            note: "theirs less ours; the findings explain it",
          })),
      ]),
      findingsPanel(loaded, ctx),
      foundKinds(kept).length === 0
        ? undefined
        : panel(
            { title: "What to do" },
            facts(foundKinds(kept).map((one) => [FINDING_WORDS[one], NEXT_STEPS[one]])),
          ),
      panel(
        { title: "What was compared" },
        facts([
          ["Supplier", html`<a class="link" href="/suppliers/${kept.supplierId}">${kept.supplierName}</a>`],
          ["Period (UTC)", periodText(kept)],
          ["Compared", time(kept.comparedAt, ctx.now)],
          ["By", by],
          ["Statement", fileDigest === undefined ? "the supplier was asked" : "a file"],
          ...(fileDigest === undefined ? [] : ([["SHA-256 of the file", idText(fileDigest)]] as const)),
          ...balanceFacts(kept),
        ]),
      ),
    ),
  };
}

function balanceFacts({ balances }: KeptReconciliation): (readonly [string, HtmlValue])[] {
  if (!balances) return [];
  const { currency } = balances;
  return [
    ["Balance at the start", money(balances.openingMinor, currency)],
    ["Paid in between", money(balances.depositsMinor, currency)],
    ["Balance at the end", money(balances.closingMinor, currency)],
    ["Left the account", money(balances.spentMinor, currency)],
    ["Of it in no statement", money(balances.unexplainedMinor, currency)],
  ];
}

function findingsPanel({ kept, kind, findings, hasNext, hasFirst }: Loaded, ctx: ConsoleContext): Html {
  const path = reconciliationPath(kept.id);
  const choices = foundKinds(kept);
  return tablePanel({
    title: "Findings",
    caption: "Findings",
    rows: findings,
    ...(choices.length > 1
      ? {
          filters: filterBar({
            action: path,
            filters: [
              {
                kind: "select",
                name: "kind",
                label: "Finding",
                value: kind ?? "",
                options: choices.map((one) => [one, FINDING_WORDS[one]] as const),
              },
            ],
          }),
        }
      : {}),
    columns: [
      { head: "Finding", cell: (one) => FINDING_WORDS[one.kind] },
      { head: "Purchase", cell: purchaseCell },
      { head: "Their id", cell: ({ upstreamId }) => upstreamId ?? "" },
      { head: "Ours", numeric: true, cell: ({ oursMinor, currency }) => sumOf(oursMinor, currency) },
      { head: "Theirs", numeric: true, cell: ({ theirsMinor, currency }) => sumOf(theirsMinor, currency) },
      { head: "Time", cell: ({ at }) => (at ? time(at, ctx.now) : "") },
      { head: "Reason", wraps: true, cell: ({ reason }) => reason ?? "" },
    ],
    empty: emptyState("No findings", "The books agree."),
    csvHref: `${path}/findings.csv`,
    ...(hasNext || hasFirst
      ? {
          pages: {
            path: href(path, { kind }),
            hasFirst,
            next: hasNext ? String(findings.at(-1)?.number) : undefined,
          },
        }
      : {}),
  });
}

/** The unit of one of our orders, or what the statement says of a purchase that we do not know. */
const purchaseCell = ({ unit, reference }: KeptFinding): HtmlValue =>
  unit
    ? twoLines(
        idText(unit.orderId, { href: `/orders/${unit.orderId}`, short: true }),
        `line ${unit.lineIndex + 1}, unit ${unit.unitIndex + 1}`,
      )
    : (reference ?? "not one of ours");
