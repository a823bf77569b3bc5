import type { Command } from "commander";
import { findAccount } from "../../../accounts/account-queries.ts";
import type { By } from "../../../activity/record-activity.ts";
import { acknowledgeAlert } from "../../../alerts/acknowledge-alert.ts";
import { chooseAlertLetters } from "../../../alerts/choose-letters.ts";
import { evaluateAlerts } from "../../../alerts/evaluate-alerts.ts";
import { type Alert, listAlerts } from "../../../alerts/list-alerts.ts";
import { recordBackup } from "../../../alerts/record-backup.ts";
import { consoleUrlOf } from "../../../config.ts";
import type { Context } from "../../open-context.ts";
import { showTime } from "../../output/format.ts";
import { table } from "../../output/table.ts";
import { required, text, UsageError, verb } from "../../verb.ts";

const BY = { actor: { kind: "command", id: "scrip" } } as const satisfies By;

export function alertCommands(program: Command): void {
  const alert = program.command("alert").description("what needs a person now");
  verb(
    alert
      .command("list")
      .description("open alerts, those that nobody has acknowledged first")
      .option("--all", "also those that were resolved lately"),
    async ({ config, db, clock }, options) => {
      // The list is right even if no server runs. A server that evaluates right now is left alone.
      await evaluateAlerts({ db, clock, consoleUrl: consoleUrlOf(config), settings: config });
      const { open, resolved, evaluatedAt } = await listAlerts(db, clock.now());
      return {
        data: [...open, ...(options.all === true ? resolved : [])].map(toView),
        ...(evaluatedAt ? { evaluatedAt: evaluatedAt.toISOString() } : {}),
      };
    },
    ({ data }) => (data.length === 0 ? "No open alerts." : showAlerts(data)),
  );
  verb(
    alert
      .command("ack")
      .description("take an alert on; it stays open until its condition ends")
      .argument("<id>"),
    async (context, _options, [id = ""]) => toView(await acknowledgeAlert(context, id, BY)),
    ({ id, title }) => `acknowledged ${id}: ${title}`,
  );
  verb(
    alert
      .command("mail")
      .description("choose whether a member of the staff gets a letter about new alerts")
      .requiredOption("--staff <id>", "the member of the staff; see: scrip staff list")
      .requiredOption("--send <yes|no>", "whether letters are sent"),
    async (context, options) => {
      const send = required(options, "send");
      if (send !== "yes" && send !== "no") throw new UsageError(`--send must be yes or no, not "${send}"`);
      const staffId = await getStaff(context, required(options, "staff"));
      await chooseAlertLetters(context, staffId, send === "yes", BY);
      return { staffId, send: send === "yes" };
    },
    ({ staffId, send }) => `${staffId} ${send ? "gets" : "gets no"} letters about new alerts`,
  );
}

export function backupCommands(program: Command): void {
  const backup = program.command("backup").description("tell Scrip about the backups that you make");
  verb(
    backup
      .command("record")
      .description("record that a backup was made and checked; without one in 26 hours there is an alert")
      .option("--note <text>", "where it is, or how it was made"),
    async (context, options) => {
      const { recordedAt, note } = await recordBackup(context, text(options, "note") ?? "", BY);
      return { recordedAt: recordedAt.toISOString(), note };
    },
    ({ recordedAt }) => `recorded a backup at ${showTime(recordedAt)} UTC`,
  );
}

async function getStaff({ db }: Context, id: string): Promise<string> {
  const account = await findAccount(db, id);
  if (account?.kind !== "staff" || account.removedAt)
    throw new RangeError(`there is no member of the staff ${id}; see: scrip staff list`);
  return account.id;
}

type AlertView = ReturnType<typeof toView>;

const toView = (alert: Alert) => ({
  id: alert.id,
  kind: alert.kind,
  subject: alert.subject,
  title: alert.title,
  raisedAt: alert.raisedAt.toISOString(),
  ...(alert.acknowledgedAt
    ? { acknowledgedAt: alert.acknowledgedAt.toISOString(), acknowledgedBy: alert.acknowledgedId }
    : {}),
  ...(alert.resolvedAt ? { resolvedAt: alert.resolvedAt.toISOString() } : {}),
});

const showAlerts = (data: readonly AlertView[]): string =>
  table(
    ["ID", "KIND", "RAISED (UTC)", "STATE", { heading: "WHAT", cut: true }],
    data.map((row) => [row.id, row.kind, showTime(row.raisedAt), stateOf(row), row.title]),
  );

const stateOf = ({ resolvedAt, acknowledgedAt }: AlertView) =>
  resolvedAt !== undefined
    ? ({ text: "resolved", style: "green" } as const)
    : acknowledgedAt !== undefined
      ? ({ text: "acknowledged", style: "yellow" } as const)
      : ({ text: "open", style: "red" } as const);
