import type { PageContent } from "../../src/web/layout/frame.ts";
import { button, linkButton } from "../../src/web/parts/button.ts";
import { chip } from "../../src/web/parts/chip.ts";
import { confirm } from "../../src/web/parts/confirm.ts";
import { idText, secretOnce } from "../../src/web/parts/copy.ts";
import { filterBar } from "../../src/web/parts/filter-bar.ts";
import { money } from "../../src/web/parts/money.ts";
import { choice } from "../../src/web/parts/navigation.ts";
import { emptyState, notice } from "../../src/web/parts/notice.ts";
import { stack } from "../../src/web/parts/panel.ts";
import { time } from "../../src/web/parts/time.ts";
import { twoLines } from "../../src/web/table/table.ts";
import { tablePanel } from "../../src/web/table/table-panel.ts";
import { type Html, html } from "../../src/web/template/html.ts";
import { ago, type GalleryOrder, galleryOrders, NOW } from "./gallery-data.ts";

const orderColumns = [
  { head: "Order", cell: ({ id }: GalleryOrder) => idText(id, { href: "/gallery/order", short: true }) },
  { head: "Status", cell: ({ status }: GalleryOrder) => chip(status) },
  { head: "Reference", cell: ({ reference }: GalleryOrder) => reference },
  { head: "Products", wraps: true, cell: ({ product }: GalleryOrder) => product },
  {
    head: "Total",
    numeric: true,
    cell: ({ totalMinor, currency }: GalleryOrder) => money(totalMinor, currency),
  },
  { head: "Placed", cell: ({ at }: GalleryOrder) => time(at, NOW) },
];

const noOrders = emptyState(
  "No orders match",
  "Remove a filter, or look at another time.",
  linkButton("Clear filters", "/gallery/orders"),
);

/** A page of 50 with filters in the address, a selection and the next page. */
export const galleryOrdersPage = (status: string, hidden: Html): PageContent => ({
  title: "Orders",
  subtitle: "Newest first. A link to this page shows what you see.",
  body: tablePanel({
    id: "orders",
    caption: "Orders",
    columns: orderColumns,
    rows: galleryOrders(50).filter((order) => status === "" || order.status === status),
    empty: noOrders,
    selection: { name: "id", value: ({ id }) => id, label: ({ reference }) => `Select ${reference}` },
    bulk: { action: "/gallery/bulk", hidden, actions: button("Redeliver", { kind: "plain" }) },
    filters: filterBar({
      action: "/gallery/orders",
      filters: [
        { kind: "search", name: "q", label: "Search", value: "", placeholder: "id or reference" },
        {
          kind: "select",
          name: "status",
          label: "Status",
          value: status,
          options: ["pending", "processing", "completed", "failed", "refunded"].map(
            (word) => [word, word] as const,
          ),
        },
        { kind: "date", name: "from", label: "From", value: "" },
      ],
    }),
    csvHref: "/gallery/orders.csv",
    title: "All orders",
    pages: { path: "/gallery/orders", next: "abc", shown: "50 orders" },
  }),
});

export const galleryEmpty = (): PageContent => ({
  title: "Orders",
  body: stack(
    tablePanel({
      title: "Orders",
      caption: "Orders",
      columns: orderColumns,
      rows: [],
      empty: emptyState(
        "No orders yet",
        "Place a test order from the catalog, or create a key and place one by the API.",
        [
          linkButton("Open the catalog", "/gallery", { kind: "main" }),
          linkButton("Create key", "/gallery/keys"),
        ],
      ),
    }),
    notice(
      "wait",
      "The export is being made.",
      "It takes about a minute. This page shows it when it is done.",
    ),
  ),
});

const KEYS = [
  {
    name: "shop-backend",
    key: "sc_test_…umOk",
    scopes: "all",
    from: "any",
    used: undefined,
    note: "just now by dev@northwind.example",
    state: "active",
  },
  {
    name: "checkout",
    key: "sc_test_…ET4h",
    scopes: "orders:write, orders:read",
    from: "203.0.113.0/24",
    used: ago(120),
    note: "3 Sep by dev@northwind.example",
    state: "active",
  },
  {
    name: "checkout (before rolling)",
    key: "sc_test_…81kd",
    scopes: "orders:write, orders:read",
    from: "203.0.113.0/24",
    used: ago(68_400),
    note: "",
    state: "ends in 5 h",
  },
  {
    name: "reporting",
    key: "sc_test_…9xQa",
    scopes: "wallet:read",
    from: "any",
    used: ago(3_542_400),
    note: "12 Jun by ops@northwind.example",
    state: "active",
  },
];

export const galleryKeys = (): PageContent => ({
  title: "API keys",
  subtitle:
    "A key opens what its scopes allow, from the addresses you name. Revoking takes effect with the next request.",
  actions: linkButton("Create key", "/gallery/form", { kind: "main" }),
  body: stack(
    secretOnce("Your new key. This is the only time it is shown.", [
      "sc_test_e8ELRIvpK0cOYnprbHzLZnzjXtIaLmuo4VumOk",
      'curl -H "X-API-Key: sc_test_e8ELRIvpK0cOYnprbHzLZnzjXtIaLmuo4VumOk" https://api.example.com/v1/balance',
    ]),
    tablePanel({
      caption: "API keys",
      filters: choice("Which keys", [
        { label: "Active", count: 3, href: "/gallery/keys", isCurrent: true },
        { label: "Ending", count: 1, href: "/gallery/keys?show=ending" },
        { label: "Revoked", count: 7, href: "/gallery/keys?show=revoked" },
      ]),
      rows: KEYS,
      empty: emptyState("No keys", "Create one."),
      columns: [
        { head: "Name", wraps: true, cell: ({ name }) => name },
        { head: "Key", cell: ({ key }) => html`<span class="id">${key}</span>` },
        { head: "Scopes", wraps: true, cell: ({ scopes }) => scopes },
        { head: "Addresses", cell: ({ from }) => html`<span class="id">${from}</span>` },
        {
          head: "Last used",
          cell: ({ used }) =>
            used ? twoLines(time(used, NOW), "203.0.113.9") : html`<span class="quiet">never</span>`,
        },
        {
          head: "Created",
          wraps: true,
          cell: ({ note, state }) =>
            state === "active" ? html`<span class="quiet">${note}</span>` : chip(state, "warn"),
        },
        {
          head: html`<span class="hidden">Actions</span>`,
          numeric: true,
          cell: () => html`<a href="/gallery/confirm">Roll key</a>`,
        },
      ],
    }),
  ),
});

export const galleryUnknown = (hidden: Html): PageContent => ({
  title: "Unknown outcomes",
  subtitle:
    "Purchases that were sent and not answered. They are looked up again automatically; nothing is bought elsewhere until the answer is known.",
  body: stack(
    notice(
      "bad",
      "Bamboo has not answered for 41 minutes.",
      html`3 units worth ${money(21_400n, "USD")} at cost wait for it. Its circuit is open; 2 products have no other route. <a href="/gallery">Supplier page</a>`,
    ),
    tablePanel({
      caption: "Unknown outcomes",
      rows: galleryOrders(3),
      empty: noOrders,
      columns: [
        {
          head: "Unknown for",
          cell: ({ totalMinor }) => chip("1 h 12 min", totalMinor > 500_000n ? "warn" : "wait"),
        },
        {
          head: "Order",
          cell: ({ id }) => twoLines(idText(id, { short: true, href: "/gallery/order" }), "Northwind Games"),
        },
        { head: "Product", wraps: true, cell: ({ product }) => product },
        {
          head: "Supplier said",
          wraps: true,
          cell: () =>
            twoLines(
              "timeout after 15 s, then 9 look-ups: not found",
              html`<span class="id">a-01m7f9w2…k4</span>`,
            ),
        },
        { head: "Cost", numeric: true, cell: () => money(9_100n, "USD") },
        { head: "Paid", numeric: true, cell: ({ totalMinor, currency }) => money(totalMinor, currency) },
        {
          head: html`<span class="hidden">Actions</span>`,
          numeric: true,
          cell: () => linkButton("Look up at supplier", "/gallery/confirm"),
        },
      ],
    }),
    confirm({
      title: "Write off ord_01m7f9…p7t, 1 unit?",
      consequences: [
        ["Northwind Games", html`gets ${money(9_450n, "USD")} back now`],
        ["You", html`may have paid Bamboo ${money(9_100n, "USD")}: it did not say`],
        ["If a code still arrives", "it goes to quarantine; nobody receives it"],
        ["Can be undone", "no"],
      ],
      hidden,
      action: "/gallery/bulk",
      verb: "Write off",
      cancelHref: "/gallery/unknown",
      cancel: "Keep waiting",
    }),
  ),
});
