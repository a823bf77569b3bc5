import type { ListedProcess } from "../../db/primary/list-processes.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { chip } from "../../web/parts/chip.ts";
import { shortId } from "../../web/parts/copy.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { columns, facts, panel, stack } from "../../web/parts/panel.ts";
import { spanText, time } from "../../web/parts/time.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { auditButtons } from "../jobs/audit-form.ts";
import { type ConsoleContext, may } from "../session.ts";
import type { SystemData } from "./load-system.ts";

/** Drift of the clocks that the doctor accepts. */
const DRIFT_MAX_MS = 5_000;

export const renderSystem = (data: SystemData, ctx: ConsoleContext): PageContent => ({
  title: "System",
  subtitle: html`Scrip ${data.version}, PostgreSQL ${data.database.version}`,
  body: stack(
    warnings(data),
    columns(
      [processPanel(data.processes, ctx), queuePanel(data)],
      [auditPanel(data, ctx), databasePanel(data), versionPanel(data), vaultPanel(data)],
    ),
  ),
});

/** What the doctor would complain of. */
function warnings({ database, processes }: SystemData): HtmlValue {
  const workers = processes.filter(({ isAlive, role }) => isAlive && role !== "api");
  return [
    workers.length > 0
      ? undefined
      : notice(
          "bad",
          "No worker is alive",
          "Orders are accepted and not fulfilled. Start one: scrip start --role worker",
        ),
    database.migrations.pending.length === 0
      ? undefined
      : notice(
          "bad",
          "Migrations are not applied",
          `Run scrip migrate: ${database.migrations.pending.join(", ")}`,
        ),
    database.risks.length === 0
      ? undefined
      : notice("warn", "The database is not safe for production", database.risks.join("; ")),
    database.driftMs <= DRIFT_MAX_MS
      ? undefined
      : notice(
          "warn",
          "The clocks differ",
          `This machine and the database differ by ${database.driftMs} ms.`,
        ),
  ];
}

const processPanel = (processes: readonly ListedProcess[], ctx: ConsoleContext): Html =>
  tablePanel({
    title: "Processes",
    caption: "Processes of the last day",
    rows: processes,
    columns: [
      { head: "Role", cell: ({ role }) => role },
      { head: "State", cell: ({ isAlive }) => (isAlive ? chip("alive", "good") : chip("silent", "bad")) },
      { head: "Where", cell: ({ host, pid }) => twoLines(host, `pid ${pid}`), wraps: true },
      { head: "Version", cell: ({ version }) => version },
      { head: "Started", cell: ({ startedAt }) => time(startedAt, ctx.now) },
      { head: "Last sign", cell: ({ beatAt }) => time(beatAt, ctx.now) },
    ],
    empty: emptyState("No process is known", "A process that serves writes its name here once a second."),
  });

const queuePanel = ({ orders, deliveries, letters, sendsMail }: SystemData): Html =>
  panel(
    { title: "Queues" },
    facts([
      ["Orders due", waiting(orders.dueOrders, orders.oldestDueSeconds)],
      ["Purchases without an outcome", waiting(orders.unknownAttempts, orders.oldestUnknownSeconds)],
      ["Deliveries due", waiting(deliveries.waiting, deliveries.oldestSeconds)],
      ["Endpoints that fail", String(deliveries.failing)],
      [
        "Letters waiting",
        sendsMail || letters.waiting === 0
          ? waiting(letters.waiting, letters.oldestSeconds)
          : `${letters.waiting}, SMTP_URL is not set`,
      ],
    ]),
  );

const waiting = (count: number, oldestSeconds: number): string =>
  count === 0 ? "0" : `${count.toLocaleString("en-US")}, the oldest for ${spanText(oldestSeconds * 1_000)}`;

function auditPanel({ audit, backup }: SystemData, ctx: ConsoleContext): Html {
  const broken = audit?.invariants.filter(({ ok }) => !ok) ?? [];
  return panel(
    {
      title: "Audit",
      ...(may(ctx, "system.manage")
        ? {
            foot: html`<form method="post" action="/system/audit">${ctx.hidden({ once: true })}${auditButtons()}</form>`,
          }
        : {}),
    },
    facts([
      ["Last audit", audit ? time(audit.finishedAt, ctx.now) : "never"],
      ...(audit
        ? ([["Result", audit.ok ? chip("clean", "good") : chip(`${broken.length} broken`, "bad")]] as const)
        : []),
      ...(audit
        ? ([
            [
              "Checked",
              audit.since ? html`what can have changed since ${time(audit.since, ctx.now)}` : "everything",
            ],
          ] as const)
        : []),
      ...broken.map(({ number, name }) => [`Invariant ${number}`, name] as const),
      ["Last backup", backup ? time(backup.recordedAt, ctx.now) : "none reported"],
    ]),
  );
}

const databasePanel = ({ database }: SystemData): Html =>
  panel(
    { title: "Database" },
    facts([
      ["PostgreSQL", database.version],
      ["Size", sizeText(database.sizeBytes)],
      ["Connections", `${database.connections} of ${database.connectionsMax}`],
      ["Standbys", String(database.standbys)],
      ["Durability", database.risks.length === 0 ? chip("safe", "good") : chip("at risk", "warn")],
      ["Clock", `within ${Math.max(database.driftMs, 1)} ms of ours`],
      [
        "Migrations",
        `${database.migrations.applied} applied, the newest ${database.migrations.newest.replace(/\.sql$/, "")}`,
      ],
    ]),
  );

const versionPanel = ({ version, nodeVersion }: SystemData): Html =>
  panel(
    { title: "Versions" },
    facts([
      ["Scrip", version],
      ["Node.js", nodeVersion],
    ]),
  );

const vaultPanel = ({ masterKeyIds: [newest = "", ...older] }: SystemData): Html =>
  panel(
    { title: "Vault" },
    facts([
      ["Newest master key", html`<code title="${newest}">${shortId(newest)}</code>`],
      [
        "Older keys",
        older.length === 0 ? "none" : older.map((id) => html`<code title="${id}">${shortId(id)}</code> `),
      ],
      ["What each key seals", html`<code>scrip vault status</code>`],
    ]),
  );

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

function sizeText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), UNITS.length - 1);
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}
