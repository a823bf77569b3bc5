import { dayChart } from "../../src/web/chart/day-chart.ts";
import type { PageContent } from "../../src/web/layout/frame.ts";
import { button, csvLink, linkButton } from "../../src/web/parts/button.ts";
import { chip, httpChip, type Tone } from "../../src/web/parts/chip.ts";
import { codeBlock, disclosure, layOutJson, progressBar } from "../../src/web/parts/code-block.ts";
import { idText, secretOnce } from "../../src/web/parts/copy.ts";
import { money, moneyText } from "../../src/web/parts/money.ts";
import { pager, tabs } from "../../src/web/parts/navigation.ts";
import { emptyState, notice } from "../../src/web/parts/notice.ts";
import { columns, facts, panel, row, stack, statTiles } from "../../src/web/parts/panel.ts";
import { exactly, time } from "../../src/web/parts/time.ts";
import { timeline } from "../../src/web/parts/timeline.ts";
import { twoLines } from "../../src/web/table/table.ts";
import { tablePanel } from "../../src/web/table/table-panel.ts";
import { html } from "../../src/web/template/html.ts";
import { ago, HOSTILE, LONG_WORD, NOW } from "./gallery-data.ts";
import { chartDays } from "./gallery-home.ts";

const TONES: readonly Tone[] = ["good", "wait", "warn", "bad", "quiet"];
const AGES = [0, 42, 720, 10_800, 432_000, 8_000_000, 40_000_000, -18_000] as const;

/** Every part in every state. */
export const galleryParts = (): PageContent => ({
  title: "Parts",
  subtitle: "Everything that pages are made of.",
  crumbs: [
    { label: "Gallery", href: "/gallery" },
    { label: "Kit", href: "/gallery" },
  ],
  body: stack(
    tabs("Parts", [
      { label: "All", href: "/gallery/parts", isCurrent: true },
      { label: "Deliveries", href: "/gallery/parts?tab=1", count: 12 },
      { label: "Settings", href: "/gallery/parts?tab=2" },
    ]),
    ...TONES.map((tone) =>
      notice(tone, `A ${tone} notice.`, html`It says what happened and <a href="/gallery">what to do</a>.`),
    ),
    columns(
      [
        panel(
          { title: "Chips" },
          row(
            ...["pending", "processing", "completed", "failed", "refunded", "held"].map((word) => chip(word)),
            httpChip(200),
            httpChip(422),
            httpChip(503),
          ),
        ),
        panel(
          { title: "Buttons" },
          row(
            button("Plain"),
            button("Main", { kind: "main" }),
            button("Danger", { kind: "danger" }),
            button("Disabled", { disabled: true }),
            linkButton("Link", "/gallery"),
            csvLink("/gallery/orders.csv"),
          ),
        ),
        panel(
          { title: "A line chart, of money" },
          dayChart({
            title: "Spend by day",
            kind: "line",
            series: [{ name: "Spend", tone: "wait" }],
            days: chartDays(14).map(({ day, values }) => ({ day, values: [(values[0] ?? 0) * 2_311] })),
            format: (value) => moneyText(BigInt(Math.round(value)), "USD"),
          }),
        ),
        panel(
          { title: "A chart without anything" },
          dayChart({
            title: "None",
            kind: "bars",
            series: [{ name: "Orders", tone: "accent" }],
            days: chartDays(3).map(({ day }) => ({ day, values: [0] })),
          }),
        ),
        panel(
          {
            title: "Pages",
            foot: pager({
              path: "/gallery/parts",
              previous: "a",
              next: "b",
              hasFirst: true,
              shown: "50 orders",
            }),
          },
          pager({ path: "/gallery/parts", shown: "3 orders" }),
        ),
      ],
      [
        panel(
          { title: "Money and times" },
          facts([
            ["Dollars", money(123_450n, "USD")],
            ["Yen", money(-1_234_567n, "JPY")],
            ["Dinars", money(1n, "KWD")],
            ["Much", money(9_007_199_254_740_991n, "USD")],
            ...AGES.map((seconds) => [`${seconds} s`, time(ago(seconds), NOW)] as const),
            ["Exactly", exactly(NOW)],
          ]),
        ),
        panel(
          { title: "Ids" },
          stack(
            idText("ord_01m7fght45e00a4dvyq8ranmyv"),
            idText("ord_01m7fght45e00a4dvyq8ranmyv", { short: true, href: "/gallery/order" }),
          ),
        ),
        panel(
          { title: "Text as it was sent" },
          stack(
            codeBlock("Body", layOutJson('{"id":"evt_1","data":{"status":"fulfilled"}}')),
            disclosure("Headers", codeBlock("Headers", "Content-Type: application/json")),
            progressBar("Deliveries that have ended", 32, 40),
          ),
        ),
        panel(
          { title: "Nothing", flush: true },
          emptyState(
            "No endpoints",
            "Add one to be told when an order is done.",
            linkButton("Add endpoint", "/gallery/form", { kind: "main" }),
          ),
        ),
      ],
    ),
  ),
});

/** Text that others wrote, everywhere where such text can stand. */
export const galleryHostile = (): PageContent => ({
  title: HOSTILE,
  subtitle: HOSTILE,
  crumbs: [{ label: HOSTILE, href: "javascript:alert(3)" }],
  actions: linkButton(LONG_WORD.slice(0, 40), "javascript:alert(4)"),
  body: stack(
    notice("warn", HOSTILE, LONG_WORD),
    secretOnce(HOSTILE, [HOSTILE + LONG_WORD]),
    codeBlock(HOSTILE, HOSTILE + LONG_WORD),
    statTiles([
      { label: HOSTILE, value: "9,007,199,254,740.99", unit: "USD", note: LONG_WORD },
      { label: "Much", value: "18,240.50", unit: "USD" },
    ]),
    columns(
      tablePanel({
        title: LONG_WORD,
        aside: HOSTILE,
        caption: HOSTILE,
        empty: emptyState("", ""),
        rows: [HOSTILE, LONG_WORD],
        columns: [
          { head: HOSTILE, wraps: true, cell: (text) => twoLines(text, html`<a href="${text}">${text}</a>`) },
          { head: "Id", cell: (text) => idText(text, { short: true, href: text }) },
          { head: "Status", cell: (text) => chip(text.slice(0, 30)) },
          { head: "Total", numeric: true, cell: () => money(9_007_199_254_740_991n, "USD") },
        ],
      }),
      [
        panel(
          { title: "Facts" },
          facts([
            [HOSTILE.slice(0, 20), HOSTILE],
            ["Long", LONG_WORD],
          ]),
        ),
        panel(
          { title: "Timeline" },
          timeline([
            { at: NOW, title: HOSTILE, note: LONG_WORD, tone: "bad" },
            { at: NOW, title: LONG_WORD },
          ]),
        ),
      ],
    ),
  ),
});
