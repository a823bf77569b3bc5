import type { groupErrors } from "../../requests/group-errors.ts";
import { KEPT_DAYS } from "../../requests/partitions.ts";
import type { RequestView } from "../../requests/schemas.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { httpChip } from "../../web/parts/chip.ts";
import { copyIcon, idText, shortId } from "../../web/parts/copy.ts";
import { filterBar } from "../../web/parts/filter-bar.ts";
import { countText } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { stack } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { href } from "../../web/template/safe-url.ts";
import { BASE, type DashboardContext, environmentOf, here, placed } from "../session.ts";

export const REQUESTS = `${BASE}/requests`;
export const REQUEST_FILTERS = ["id", "status", "errorCode", "keyId", "from", "to"] as const;

/** What is shown of a key. */
export type KeyName = { name: string; hint: string };

export type RequestList = {
  /** The request that is searched for; empty for a list. */
  id: string;
  filters: Record<Exclude<(typeof REQUEST_FILTERS)[number], "id">, string>;
  keys: ReadonlyMap<string, KeyName>;
  data: readonly RequestView[];
  nextCursor: string;
  errors?: Awaited<ReturnType<typeof groupErrors>>;
};

export const requestHref = (ctx: DashboardContext, id: string): string => here(ctx, `${REQUESTS}/${id}`);

/** The request log: errors by kind, then every request. */
export const renderRequests = (list: RequestList, ctx: DashboardContext): PageContent => ({
  title: "Requests",
  subtitle: `Your API requests of the last ${KEPT_DAYS} days. A request appears within seconds.`,
  body: stack(errorGroups(list, ctx), requestTable(list, ctx)),
});

const GROUPS_SHOWN_MAX = 8;

function errorGroups({ errors }: RequestList, ctx: DashboardContext): Html | undefined {
  if (!errors || errors.groups.length === 0) return undefined;
  return tablePanel({
    title: "Errors",
    aside: `${countText(errors.failed)} of the last ${countText(errors.examined)} requests failed`,
    caption: "Errors by kind",
    rows: errors.groups.slice(0, GROUPS_SHOWN_MAX),
    columns: [
      {
        head: "Error",
        cell: ({ errorCode }) =>
          html`<a class="link" href="${here(ctx, REQUESTS, { errorCode })}">${errorCode}</a>`,
      },
      { head: "Status", cell: ({ status }) => httpChip(status) },
      { head: "Method", cell: ({ method }) => method },
      { head: "Requests", numeric: true, cell: ({ count }) => countText(count) },
      { head: "Last", cell: ({ lastAt }) => time(lastAt, ctx.now) },
      {
        head: "Latest request",
        cell: ({ lastId }) => idText(lastId, { short: true, href: requestHref(ctx, lastId) }),
      },
      {
        head: "Help",
        cell: ({ errorCode }) => html`<a class="link" href="/errors/${errorCode}">What it means</a>`,
      },
    ],
    empty: emptyState("No errors", ""),
  });
}

function requestTable(list: RequestList, ctx: DashboardContext): Html {
  const path = here(ctx, REQUESTS, list.filters);
  return tablePanel<RequestView>({
    title: "All requests",
    caption: "Requests",
    filters: requestFilters(list, ctx),
    rows: list.data,
    columns: [
      { head: "Time", cell: ({ createdAt }) => time(new Date(createdAt), ctx.now) },
      { head: "Status", cell: ({ status }) => httpChip(status) },
      { head: "Request", cell: (one) => requestLine(one, ctx) },
      { head: "Error", cell: ({ errorCode }) => errorCode ?? html`<span class="quiet">–</span>` },
      { head: "Key", cell: (one) => keyOf(one, list.keys) },
      { head: "Address", cell: ({ address }) => html`<span class="id">${address}</span>` },
      { head: "Latency", numeric: true, cell: ({ durationMs }) => `${countText(durationMs)} ms` },
    ],
    empty: emptyRequests(list, path),
    pages: {
      path,
      next: list.nextCursor || undefined,
      hasFirst: ctx.query.cursor !== undefined,
      shown: `${list.data.length} ${list.data.length === 1 ? "request" : "requests"}`,
    },
  });
}

const requestLine = ({ id, method, path }: RequestView, ctx: DashboardContext): HtmlValue =>
  html`<span class="copyable"><a class="id" href="${requestHref(ctx, id)}" title="${path}">${method} ${shortPath(path)}</a>${copyIcon(id, id)}</span>`;

/** Ids in a path by their ends, so that a row fits. */
const shortPath = (path: string): string => path.split("/").map(shortId).join("/");

/** The key by its name and last four characters; of one that was refused, what the log kept. */
export function keyOf(
  { keyId, keyHint }: Pick<RequestView, "keyId" | "keyHint">,
  keys: ReadonlyMap<string, KeyName>,
): HtmlValue {
  const known = keyId === undefined ? undefined : keys.get(keyId);
  if (known) return known.name === "" ? hintOf(known.hint) : twoLines(known.name, hintOf(known.hint));
  if (keyHint !== undefined) return hintOf(keyHint);
  return keyId === undefined ? html`<span class="quiet">–</span>` : idText(keyId, { short: true });
}

const hintOf = (hint: string): Html => html`<span class="id">${hint}</span>`;

function emptyRequests({ id, filters, nextCursor }: RequestList, path: string): Html {
  if (id !== "")
    return emptyState(
      "No request with this id",
      "Check the id, and whether you are looking at live or test data. Requests are kept for 14 days.",
    );
  if (nextCursor !== "")
    return emptyState(
      "No match so far",
      "Older requests have not been looked through yet.",
      linkButton("Look further back", href(path, { cursor: nextCursor })),
    );
  if (Object.values(filters).some((text) => text !== ""))
    return emptyState("No request matches", "Change or clear the filters.");
  return emptyState(
    "No requests yet",
    "Create an API key, then make your first call. It appears here within seconds.",
    linkButton("Read the quickstart", "/docs/guides/quickstart"),
  );
}

const STATUSES = ["2xx", "4xx", "5xx", "400", "401", "402", "403", "404", "409", "422", "429"] as const;

const requestFilters = ({ id, filters, keys }: RequestList, ctx: DashboardContext): Html =>
  filterBar({
    action: placed(ctx, REQUESTS),
    keep: { env: environmentOf(ctx) === "test" ? "test" : undefined },
    filters: [
      { kind: "search", name: "id", label: "Request id", value: id, placeholder: "req_…" },
      {
        kind: "select",
        name: "status",
        label: "Status",
        value: filters.status,
        options: STATUSES.map((status) => [status, status]),
      },
      {
        kind: "text",
        name: "errorCode",
        label: "Error",
        value: filters.errorCode,
        placeholder: "insufficient_funds",
      },
      {
        kind: "select",
        name: "keyId",
        label: "Key",
        value: filters.keyId,
        options: [...keys].map(([key, { name, hint }]) => [key, `${name} ${hint}`.trim()]),
      },
      { kind: "date", name: "from", label: "From", value: filters.from },
      { kind: "date", name: "to", label: "To", value: filters.to },
    ],
  });
