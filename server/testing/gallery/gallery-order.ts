import type { PageContent } from "../../src/web/layout/frame.ts";
import { csvLink, linkButton } from "../../src/web/parts/button.ts";
import { chip, httpChip } from "../../src/web/parts/chip.ts";
import { idText } from "../../src/web/parts/copy.ts";
import { money } from "../../src/web/parts/money.ts";
import { emptyState } from "../../src/web/parts/notice.ts";
import { columns, facts, panel, stack } from "../../src/web/parts/panel.ts";
import { exactly, time } from "../../src/web/parts/time.ts";
import { timeline } from "../../src/web/parts/timeline.ts";
import { twoLines } from "../../src/web/table/table.ts";
import { tablePanel } from "../../src/web/table/table-panel.ts";
import { html } from "../../src/web/template/html.ts";
import { ago, NOW } from "./gallery-data.ts";

const ID = "ord_01m7fght45e00a4dvyq8ranmyv";
const nothing = emptyState("Nothing", "There is nothing here.");

export const galleryOrder = (): PageContent => ({
  title: `Order ${ID}`,
  heading: idText(ID),
  crumbs: [{ label: "Orders", href: "/gallery/orders" }],
  subtitle: html`${chip("completed")} placed ${exactly(ago(9_000))} by key <span class="id">sc_live_…4ET</span>`,
  actions: [
    csvLink("/gallery/orders.csv", "Codes as CSV"),
    linkButton("Reveal codes", "/gallery/confirm", { kind: "main" }),
  ],
  body: columns(
    stack(lines(), codes(), deliveries()),
    stack(
      panel({ title: "Timeline" }, timeline(entries)),
      panel(
        { title: "Facts" },
        facts([
          ["Reference", "invoice-20931"],
          ["Idempotency key", html`<code>7d9f1c52-6a3e-4a55-9b1b-0f7c1f5f4ad0</code>`],
          ["Request", idText("req_01m7fght4d0yrd3ja8r0bhq2c", { short: true, href: "/gallery" })],
          ["Placed", time(ago(9_000), NOW)],
        ]),
      ),
    ),
  ),
});

const at = (seconds: number): Date => new Date(NOW.getTime() - 9_000_000 + seconds * 1_000);
const entries = [
  {
    at: at(0.221),
    title: "Accepted",
    note: html`${money(9_760n, "USD")} paid from the wallet`,
    tone: "good" as const,
  },
  { at: at(0.48), title: "Processing", tone: "wait" as const },
  { at: at(1.012), title: "3 × Nimbus 25 USD delivered", tone: "good" as const },
  { at: at(1.012), title: "1 × Nimbus 25 USD refused", note: "out_of_stock", tone: "bad" as const },
  { at: at(3.9), title: "Arcadia 325 Crystals delivered", tone: "good" as const },
  { at: at(3.905), title: "Completed, 23.25 USD refunded", tone: "good" as const },
  { at: at(4.31), title: "order.fulfilled created", note: "delivered on the 2nd attempt, 11:47:18" },
  { at: at(4.31), title: "order.refunded created", note: "not delivered yet", tone: "warn" as const },
  { at: at(86_400), title: "Codes revealed by dev@northwind.example", note: "from 203.0.113.9" },
];

const lines = () =>
  tablePanel({
    title: "Lines",
    aside: html`total ${money(9_760n, "USD")}, ${money(2_325n, "USD")} refunded`,
    caption: "Lines",
    empty: nothing,
    rows: [
      {
        name: "Nimbus 25 USD",
        sub: html`<span class="id">nimbus-us-25</span>`,
        price: 2_325n,
        quantity: 4,
        delivered: 3,
        note: "1 out_of_stock",
      },
      {
        name: "Arcadia 325 Crystals",
        sub: "player 5512 0931, server eu",
        price: 460n,
        quantity: 1,
        delivered: 1,
        note: "",
      },
    ],
    columns: [
      {
        head: "Product",
        wraps: true,
        cell: ({ name, sub }) => twoLines(html`<a href="/gallery">${name}</a>`, sub),
      },
      { head: "Unit price", numeric: true, cell: ({ price }) => money(price, "USD") },
      { head: "Quantity", numeric: true, cell: ({ quantity }) => quantity },
      { head: "Delivered", numeric: true, cell: ({ delivered, note }) => twoLines(delivered, note) },
      {
        head: "Line total",
        numeric: true,
        cell: ({ price, quantity }) => money(price * BigInt(quantity), "USD"),
      },
    ],
  });

const codes = () =>
  tablePanel({
    title: "Codes",
    aside: html`revealed twice, last by dev@northwind.example ${time(ago(180), NOW)}`,
    caption: "Codes",
    empty: nothing,
    rows: [
      { name: "Nimbus 25 USD", code: "•••• •••• •••• 7Q2K", pin: "••••", expires: "2031-01-31" },
      { name: "Nimbus 25 USD", code: "•••• •••• •••• 81MX", pin: "••••", expires: "2031-01-31" },
      { name: "Arcadia 325 Crystals", code: "topped up, receipt AR-55120931", pin: "", expires: "" },
    ],
    columns: [
      { head: "Product", cell: ({ name }) => name },
      { head: "Code", cell: ({ code }) => html`<span class="id">${code}</span>` },
      { head: "PIN", cell: ({ pin }) => html`<span class="id">${pin}</span>` },
      { head: "Expires", cell: ({ expires }) => expires },
    ],
  });

const deliveries = () =>
  tablePanel({
    title: "Deliveries of its events",
    caption: "Deliveries",
    empty: nothing,
    rows: [
      { answer: httpChip(200), event: "order.fulfilled", note: "184 ms, 2nd attempt" },
      { answer: chip("timeout"), event: "order.refunded", note: "next attempt in 4 min" },
      { answer: httpChip(404), event: "order.refunded", note: "91 ms" },
      { answer: httpChip(301), event: "order.refunded", note: "12 ms" },
    ],
    columns: [
      { head: "Answer", cell: ({ answer }) => answer },
      {
        head: "Event",
        cell: ({ event }) => html`<a href="/gallery">${event}</a> to hooks.northwind.example`,
      },
      { head: "Attempt", numeric: true, cell: ({ note }) => note },
    ],
  });
