import type { Command } from "commander";
import type { AuditedInvariant } from "../../audit/audit.ts";
import { runAudit } from "../../audit/record-audit.ts";
import { startProgress } from "../output/progress.ts";
import { verb } from "../verb.ts";

export function auditCommand(program: Command): void {
  verb(
    program
      .command("audit")
      .description("prove on the running database that no money and no order is lost or duplicated")
      .option("--full", "check everything, and not only what can have changed since the last clean run")
      .addHelpText(
        "after",
        "\nAfter a clean run the next one continues from there. It checks new orders, unfinished orders, and older ones that have a new\n" +
          "ledger entry, event or code since then. An older row that changed without any of these is found by --full only: run it\n" +
          "every week and after a restore. After a broken run, and after an upgrade that changes the invariants, the next run is full.",
      ),
    async (context, options) => {
      const progress = startProgress("invariants checked");
      const onProgress = (done: number, total: number) => progress.advance(done, done / total);
      const isFull = options.full === true;
      const { since, ...result } = await runAudit(
        context,
        { kind: "command", id: "scrip" },
        { isFull, onProgress },
      ).finally(() => progress.end());
      if (!result.ok) process.exitCode = 1;
      if (since && options.json !== true)
        process.stderr.write(
          `Checked what can have changed since ${since.toISOString()}. --full checks everything.\n`,
        );
      return { ...result, since: since ?? null };
    },
    ({ invariants }) => invariants.map(describe).join("\n"),
  );
}

const describe = ({ number, name, ok, checked, violations }: AuditedInvariant): string =>
  [
    `${ok ? "ok  " : "FAIL"}  ${number}. ${name} (${checked} checked)`,
    ...violations.map((one) => `        ${one}`),
  ].join("\n");
