import type { Command } from "commander";
import { loadSystem, type SystemData } from "../../../console/system/load-system.ts";
import { fields } from "../../output/fields.ts";
import { plural, showCount, showTime } from "../../output/format.ts";
import { table } from "../../output/table.ts";
import { verb } from "../../verb.ts";

/** What the page *System* of the console shows. */
export function systemCommand(program: Command): void {
  verb(
    program.command("system").description("the running system: processes, queues, database and backups"),
    async ({ config, db, keyring, clock }) =>
      loadSystem({ db, keyring, sendsMail: config.smtpUrl !== undefined }, { now: clock.now() }),
    show,
  );
}

const MIB = 1024 ** 2;

function show({ version, nodeVersion, database, processes, audit, backup, ...system }: SystemData): string {
  const { orders, deliveries, letters, sendsMail } = system;
  const { migrations, risks, sizeBytes } = database;
  return [
    fields([
      ["Scrip", `${version}, Node.js ${nodeVersion}`],
      [
        "PostgreSQL",
        `${database.version}, ${showCount(Math.ceil(sizeBytes / MIB))} MiB, ${database.connections} of ${database.connectionsMax} connections, ${plural(database.standbys, "standby", "standbys")}`,
      ],
      [
        "Durability",
        risks.length === 0 ? { text: "safe", style: "green" } : { text: risks.join("; "), style: "red" },
      ],
      ["Clock", `within ${Math.max(database.driftMs, 1)} ms of the database`],
      [
        "Migrations",
        migrations.pending.length === 0
          ? `${migrations.applied} applied`
          : { text: `${migrations.pending.length} are not applied; run: scrip migrate`, style: "red" },
      ],
      ["Orders due", showCount(orders.dueOrders)],
      ["Open purchases", showCount(orders.unknownAttempts)],
      [
        "Deliveries due",
        `${showCount(deliveries.waiting)}, ${plural(deliveries.failing, "endpoint")} failing`,
      ],
      ["Letters", `${showCount(letters.waiting)} waiting${sendsMail ? "" : "; SMTP_URL is not set"}`],
      [
        "Last audit",
        audit === undefined
          ? "never; run: scrip audit"
          : `${showTime(audit.finishedAt)}, ${audit.ok ? "clean" : `${audit.invariants.filter(({ ok }) => !ok).length} broken`}`,
      ],
      [
        "Last backup",
        backup === undefined ? "none reported; see: scrip backup record --help" : showTime(backup.recordedAt),
      ],
      ["Master keys", system.masterKeyIds.join(", ")],
    ]),
    "",
    processes.length === 0
      ? "No process serves this database. Start one: scrip start"
      : table(
          ["PROCESS", "ROLE", "STATE", "HOST", { heading: "PID", right: true }, "VERSION", "LAST SIGN (UTC)"],
          processes.map((one) => [
            one.id,
            one.role,
            one.isAlive ? { text: "alive", style: "green" } : { text: "silent", style: "red" },
            one.host,
            String(one.pid),
            one.version,
            showTime(one.beatAt),
          ]),
        ),
  ].join("\n");
}
