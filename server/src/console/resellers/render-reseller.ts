import { limitsCell } from "../../dashboard/keys/key-limits.ts";
import { scopesText } from "../../dashboard/keys/render-keys.ts";
import { keyPrefix } from "../../keys/key-format.ts";
import { keyState } from "../../keys/list-keys.ts";
import type { KeyRow } from "../../keys/queries.ts";
import type { ResellerRow } from "../../resellers/queries.ts";
import type { EntryRow } from "../../wallet/queries.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { environmentOf, here } from "../../web/pages/here.ts";
import { linkButton } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { countText, money, moneyText } from "../../web/parts/money.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { columns, facts, panel, row, stack } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { failuresText } from "../../webhooks/health/read-health.ts";
import { marginLink } from "../reports/margin-link.ts";
import { type ConsoleContext, may } from "../session.ts";
import { canEnable, enableHref } from "./endpoint-pages.ts";
import { canUnfreeze, unfreezeHref } from "./key-pages.ts";
import type { ResellerData } from "./load-reseller.ts";
import { activityPanel, peoplePanel } from "./render-people.ts";
import { salesOf } from "./render-resellers.ts";

/** One reseller: money, keys, endpoints, people, what was done to it and what can be done. */
export function renderReseller(data: ResellerData, ctx: ConsoleContext): PageContent {
  const { reseller } = data;
  return {
    title: reseller.name,
    subtitle: html`${chip(reseller.frozenAt === null ? "active" : "frozen")} ${idText(reseller.id, { short: true })}`,
    crumbs: [{ label: "Resellers", href: here(ctx, "/resellers") }],
    actions: actionsOf(reseller, ctx),
    body: stack(
      frozenNotice(reseller, ctx),
      data.warnings.length === 0
        ? undefined
        : notice(
            "warn",
            "It sees an empty shop",
            data.warnings.map((one) => html`<p>${one}</p>`),
          ),
      columns(
        [entriesPanel(data, ctx), keysPanel(data, ctx), endpointsPanel(data, ctx)],
        [factsPanel(data, ctx), peoplePanel(data, ctx), activityPanel(data, ctx)],
      ),
    ),
  };
}

const path = ({ id }: ResellerRow, rest = ""): string => `/resellers/${id}${rest}`;

const actionsOf = (reseller: ResellerRow, ctx: ConsoleContext): Html =>
  row(
    may(ctx, "resellers.view")
      ? linkButton("View as reseller", here(ctx, `/view/${reseller.id}`))
      : undefined,
    may(ctx, "resellers.manage")
      ? reseller.frozenAt === null
        ? linkButton("Freeze", here(ctx, path(reseller, "/freeze")))
        : linkButton("Unfreeze", here(ctx, path(reseller, "/unfreeze")))
      : undefined,
    may(ctx, "wallets.manage")
      ? linkButton("Move money", here(ctx, "/money/new", { reseller: reseller.id }), { kind: "main" })
      : undefined,
  );

const frozenNotice = ({ frozenAt, frozenReason }: ResellerRow, ctx: ConsoleContext): Html | undefined =>
  frozenAt === null
    ? undefined
    : notice(
        "bad",
        "This reseller is frozen",
        html`Frozen ${time(frozenAt, ctx.now)}. New orders are refused; reading goes on, and accepted orders are fulfilled. Reason: ${frozenReason ?? "none was given"}`,
      );

function factsPanel({ reseller, balances, sales, margins }: ResellerData, ctx: ConsoleContext): Html {
  const { currency } = reseller;
  return panel(
    {
      title: "Reseller",
      ...(may(ctx, "resellers.manage")
        ? { aside: html`<a class="link" href="${here(ctx, path(reseller, "/edit"))}">Edit</a>` }
        : {}),
    },
    facts([
      ["Live balance", moneyText(balances.live, currency)],
      ["Test balance", moneyText(balances.test, currency)],
      [
        "Sales, 30 days",
        `${moneyText(salesOf(sales), currency)} in ${countText(sales?.orders ?? 0n)} orders`,
      ],
      ["Margin, 30 days", marginLink(margins, "reseller", reseller.id, ctx)],
      ["Price list", reseller.priceList],
      ["Email", reseller.email],
      ["Order limit", limitText(reseller.rateLimitOrders)],
      ["Request limit", limitText(reseller.rateLimitReads)],
      ["Created", time(reseller.createdAt, ctx.now)],
    ]),
  );
}

const limitText = (rate: number | null): string => {
  if (rate === null) return "the server's limit";
  return rate === 0 ? "no limit" : `${rate} per second for each key`;
};

const entriesPanel = ({ entries, reseller }: ResellerData, ctx: ConsoleContext): Html =>
  tablePanel<EntryRow>({
    title: `Wallet, ${environmentOf(ctx)}`,
    aside: may(ctx, "resellers.view")
      ? html`<a class="link" href="${here(ctx, `/view/${reseller.id}/wallet`)}">Statement</a>`
      : undefined,
    caption: "Newest wallet entries",
    rows: entries,
    columns: [
      { head: "When", cell: ({ createdAt }) => time(createdAt, ctx.now) },
      { head: "Type", cell: ({ type }) => type },
      { head: "Amount", numeric: true, cell: ({ amountMinor, currency }) => money(amountMinor, currency) },
      {
        head: "Balance",
        numeric: true,
        cell: ({ balanceAfterMinor, currency }) => money(balanceAfterMinor, currency),
      },
      {
        head: "For",
        wraps: true,
        cell: ({ orderId, note }) =>
          orderId === null ? note : idText(orderId, { short: true, href: here(ctx, `/orders/${orderId}`) }),
      },
    ],
    empty: emptyState("No entries yet", "Credit the wallet, so that orders can be paid from it."),
  });

const keysPanel = ({ keys, reseller }: ResellerData, ctx: ConsoleContext): Html =>
  tablePanel<KeyRow>({
    title: `API keys, ${environmentOf(ctx)}`,
    caption: "API keys",
    rows: keys,
    columns: [
      {
        head: "Key",
        wraps: true,
        cell: (key) =>
          twoLines(
            key.name === "" ? "Unnamed key" : key.name,
            html`<code>${keyPrefix(key.environment)}…${key.lastFour}</code>`,
          ),
      },
      { head: "State", cell: (key) => chip(keyState(key, ctx.now)) },
      { head: "Scopes", wraps: true, cell: ({ scopes }) => scopesText(scopes) },
      { head: "Limits", wraps: true, cell: (key) => limitsCell(key) },
      {
        head: "Last used",
        cell: ({ lastUsedAt, lastUsedIp }) =>
          lastUsedAt === null
            ? html`<span class="quiet">never</span>`
            : twoLines(time(lastUsedAt, ctx.now), html`<code>${lastUsedIp}</code>`),
      },
      ...(may(ctx, "resellers.manage") && keys.some((key) => canUnfreeze(key, ctx.now))
        ? [
            {
              head: html`<span class="hidden">Actions</span>`,
              cell: (key: KeyRow) =>
                canUnfreeze(key, ctx.now)
                  ? html`<a class="link" href="${unfreezeHref(ctx, reseller.id, key.id)}">Unfreeze</a>`
                  : undefined,
            },
          ]
        : []),
    ],
    empty: emptyState("No keys", "The reseller creates keys in its dashboard."),
  });

const endpointsPanel = ({ endpoints, reseller }: ResellerData, ctx: ConsoleContext): Html =>
  tablePanel({
    title: `Webhooks, ${environmentOf(ctx)}`,
    caption: "Webhook endpoints",
    rows: endpoints,
    columns: [
      { head: "URL", wraps: true, cell: ({ row: { url } }) => url },
      {
        head: "Status",
        cell: ({ row: endpoint, health }) => chip(health?.state ?? (endpoint.active ? "active" : "disabled")),
      },
      {
        head: "Failures",
        wraps: true,
        cell: ({ health }) =>
          health?.failingSince
            ? html`${failuresText(health.recent)}, since ${time(health.failingSince, ctx.now)}`
            : html`<span class="quiet">–</span>`,
      },
      ...(may(ctx, "endpoints.manage")
        ? [
            {
              head: html`<span class="hidden">Actions</span>`,
              cell: ({ row }: (typeof endpoints)[number]) =>
                canEnable(row)
                  ? html`<a class="link" href="${enableHref(ctx, reseller.id, row.id)}">Enable</a>`
                  : undefined,
            },
          ]
        : []),
    ],
    empty: emptyState("No endpoints", "The reseller adds endpoints in its dashboard or by the API."),
  });
